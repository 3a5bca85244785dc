/** Ticks of a rule: the next ones, the latest one, and their delay by the spread. Pure functions. */

import { limits } from '../limits.ts'
import { nextCronTick } from './cron.ts'
import { scheduleLimits } from './limits.ts'
import type { EffectiveSchedule } from './schedule.ts'
import { localDate, nextDateAt } from './zone.ts'

/** What the ticks of a schedule follow from. */
export type Rule = Pick<
  EffectiveSchedule,
  'cron' | 'every' | 'offset' | 'timezone' | 'startsAt' | 'endsAt' | 'except' | 'spread'
>

/** More exceptions in a row than this end the search, so that no rule can block the event loop. */
const MAX_SKIPPED = 2 * scheduleLimits.exceptions

/** The first tick after `after`; null: none. Strictly later, also when the clocks change. */
export function nextTick(rule: Rule, after: number): number | null {
  let from = rule.startsAt === null ? after : Math.max(after, rule.startsAt - 1)
  for (let skipped = 0; skipped < MAX_SKIPPED; skipped++) {
    const at = rule.every === null ? cronTick(rule, from) : intervalTick(rule.every, rule.offset, from)
    if (at === null || at > limits.instant || (rule.endsAt !== null && at >= rule.endsAt)) return null
    const resumeAt = exceptedUntil(rule, at)
    if (resumeAt === null) return at
    from = resumeAt
  }
  return null
}

function cronTick({ cron, timezone }: Rule, after: number): number | null {
  return cron === null ? null : nextCronTick(cron, timezone, after)
}

/** Aligned to the epoch, so that restarts do not shift it. */
function intervalTick(every: number, offset: number, after: number): number {
  const shift = offset % every
  return (Math.floor((after - shift) / every) + 1) * every + shift
}

/** null: the tick is not excepted. Otherwise no tick up to this instant counts. */
function exceptedUntil({ except, timezone }: Rule, at: number): number | null {
  if (except.length === 0) return null
  if (except.includes(at)) return at
  return except.includes(localDate(timezone, at)) ? nextDateAt(timezone, at) - 1 : null
}

/** The next `count` ticks after `after`. */
export function nextTicks(rule: Rule, after: number, count: number): readonly number[] {
  const ticks: number[] = []
  for (let at = nextTick(rule, after); at !== null && ticks.length < count; at = nextTick(rule, at)) ticks.push(at)
  return ticks
}

/** The latest tick that is not after `until`; `first` is a tick. A bisection: about 30 steps for a year. */
export function latestTick(rule: Rule, first: number, until: number): number {
  let latest = first
  let high = until
  for (let next = nextTick(rule, latest); next !== null && next <= until; next = nextTick(rule, latest)) {
    const middle = Math.floor((next + high) / 2)
    const found = nextTick(rule, middle)
    if (found !== null && found <= until) {
      latest = found
    } else {
      latest = next
      high = middle
    }
    if (high <= latest) break
  }
  return latest
}

/** How many ticks there are from `first`, a tick, to before `end`, up to `max`. */
export function countTicks(rule: Rule, first: number, end: number, max: number): number {
  if (first >= end) return 0
  if (rule.every !== null && rule.except.length === 0) {
    return Math.min(max, Math.ceil((end - first) / rule.every))
  }
  let count = 1
  for (let at = nextTick(rule, first); at !== null && at < end && count < max; at = nextTick(rule, at)) count += 1
  return count
}

/** When a tick is due: delayed by a stable part of the spread, and always before the tick that follows it. */
export function dueAt(rule: Rule, name: string, at: number): number {
  if (rule.spread === 0) return at
  const next = nextTick({ ...rule, endsAt: null }, at)
  const gap = next === null ? null : next - at
  return at + Math.floor(share(name, at) * spreadMs(rule.spread, gap))
}

function spreadMs(spread: number | string, gap: number | null): number {
  if (typeof spread === 'string') return gap === null ? 0 : (gap * Number.parseFloat(spread)) / 100
  return gap === null ? spread : Math.min(spread, gap)
}

/** A number in [0, 1) that depends only on the name and the tick: FNV-1a, then the finaliser of MurmurHash3. */
function share(name: string, at: number): number {
  let hash = 0x811c9dc5
  const text = `${name}\n${at}`
  for (let place = 0; place < text.length; place++) hash = Math.imul(hash ^ text.charCodeAt(place), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return ((hash ^ (hash >>> 16)) >>> 0) / 0x1_0000_0000
}

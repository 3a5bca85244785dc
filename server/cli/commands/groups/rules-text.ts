/** Rules of groups as text, in the form that the options of `groups set` take. */
import { formatDuration } from '../../../../shared/duration.ts'
import type { GroupKeyRow } from '../../../../shared/groups/records.ts'
import type { EffectiveGroupRules } from '../../../../shared/groups/rules.ts'
import { grouped } from '../../output/format.ts'
import type { Paint } from '../../output/paint.ts'
import { age } from '../../output/times.ts'

export function concurrencyText({ concurrency }: Pick<EffectiveGroupRules, 'concurrency'>): string {
  return concurrency === null ? '–' : grouped(concurrency)
}

/** `10/1s`, or `10/1s burst 3`. */
export function rateText({ rate }: Pick<EffectiveGroupRules, 'rate'>): string {
  if (rate === null) return '–'
  const each = `${rate.limit}/${formatDuration(rate.perMs, '')}`
  return rate.burst === 1 ? each : `${each} burst ${rate.burst}`
}

/** Without strict order no job holds its key, so the rule has no effect. */
export function onDeadText({ order, onDead }: Pick<EffectiveGroupRules, 'onDead' | 'order'>): string {
  return order === 'strict' ? onDead : '–'
}

export type KeyState = 'paused' | 'stopped' | 'busy' | 'waiting' | 'running'

/** `waiting`: jobs are blocked until another job of the key or the rate limit lets them continue. */
export function keyState({ effective, stopped, busyUntil, blocked }: GroupKeyRow, now: number): KeyState {
  if (effective.paused) return 'paused'
  if (stopped !== null) return 'stopped'
  if (busyUntil !== null && busyUntil > now) return 'busy'
  return blocked > 0 ? 'waiting' : 'running'
}

export function stateBrush(paint: Paint, state: KeyState) {
  if (state === 'paused' || state === 'busy') return paint.yellow
  if (state === 'stopped') return paint.red
  return state === 'waiting' ? paint.magenta : paint.green
}

/** When the next blocked job becomes pending, or after which event. */
export function nextText(row: GroupKeyRow, now: number): string {
  const { nextAt, blocked } = row
  if (blocked === 0) return ''
  const state = keyState(row, now)
  if (state === 'paused') return 'after a resume'
  if (state === 'stopped') return 'after a retry or a resume'
  if (nextAt !== null) return age(nextAt, now)
  return row.turn !== null && row.pending + row.processing === 0
    ? 'after the retry of another job'
    : 'after another job'
}

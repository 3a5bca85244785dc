/** Catch-up plan of a schedule: which of its due ticks are enqueued, which are missed, and what comes next. */
import { MINUTE } from '../limits.ts'
import { countTicks, dueAt, latestTick, nextTick, type Rule } from './rule.ts'
import type { EffectiveSchedule } from './schedule.ts'

/** With `catchUp: 'none'` a tick counts as on time for this long: nodes restart and databases fail over within it. */
export const ON_TIME_MS = MINUTE
/** Counting of missed ticks stops here: each takes about 15 µs. */
export const MAX_MISSED = 1_000

export interface PlannedTick {
  readonly at: number
  readonly dueAt: number
  readonly outcome: 'enqueued' | 'missed'
  readonly previous: number | null
  /** Ticks before it that are not enqueued; of a missed tick: with itself. */
  readonly missed: number
}

export interface TickPlan {
  /** Oldest first. */
  readonly ticks: readonly PlannedTick[]
  /** The last tick that the plan covers. The commit ends the schedule when `maxRuns` is reached: skipped ticks are no runs. */
  readonly lastTickAt: number
  readonly nextTickAt: number | null
  readonly nextRunAt: number | null
}

export interface TickState {
  readonly name: string
  readonly nextTickAt: number
  readonly lastTickAt: number | null
  readonly runs: number
}

export type CatchUpRule = Rule & Pick<EffectiveSchedule, 'catchUp' | 'catchUpWindowMs' | 'maxRuns'>

/** null: the next tick is not due yet. `max`: ticks that one plan enqueues; the rest stays due. */
export function dueTicks(rule: CatchUpRule, state: TickState, now: number, max: number): TickPlan | null {
  const { name, nextTickAt: first } = state
  if (dueAt(rule, name, first) > now) return null
  const latest = latestDue(rule, name, first, now)
  const lateMs = now - dueAt(rule, name, latest)
  const isTooLate = lateMs > (rule.catchUp === 'none' ? ON_TIME_MS : rule.catchUpWindowMs) && lateMs > ON_TIME_MS
  if (isTooLate) return covered(rule, state, latest, [missedTick(rule, state, latest)])
  if (rule.catchUp === 'all') return allTicks(rule, state, now, Math.min(max, runsLeft(rule, state)))
  return covered(rule, state, latest, [
    {
      at: latest,
      dueAt: dueAt(rule, name, latest),
      outcome: 'enqueued',
      previous: state.lastTickAt,
      missed: countTicks(rule, first, latest, MAX_MISSED),
    },
  ])
}

/** The spread of a tick ends before the next one, so the latest due tick is the latest one or the one before it. */
function latestDue(rule: Rule, name: string, first: number, now: number): number {
  const latest = latestTick(rule, first, now)
  return latest === first || dueAt(rule, name, latest) <= now ? latest : latestTick(rule, first, latest - 1)
}

function missedTick(rule: Rule, { name, nextTickAt, lastTickAt }: TickState, at: number): PlannedTick {
  const missed = Math.min(MAX_MISSED, countTicks(rule, nextTickAt, at, MAX_MISSED) + 1)
  return { at, dueAt: dueAt(rule, name, at), outcome: 'missed', previous: lastTickAt, missed }
}

function allTicks(rule: CatchUpRule, state: TickState, now: number, max: number): TickPlan {
  const { name } = state
  const ticks: PlannedTick[] = []
  let at: number | null = state.nextTickAt
  let previous = state.lastTickAt
  const windowFrom = now - Math.max(rule.catchUpWindowMs, ON_TIME_MS)
  if (dueAt(rule, name, at) < windowFrom) {
    // By the due time: the spread may keep a tick before the window from being due.
    const old = latestDue(rule, name, at, windowFrom - 1)
    ticks.push(missedTick(rule, state, old))
    previous = old
    at = nextTick(rule, old)
  }
  for (let count = 0; at !== null && count < max; count++) {
    const due = dueAt(rule, name, at)
    if (due > now) break
    ticks.push({
      at,
      dueAt: due,
      outcome: 'enqueued',
      previous,
      missed: ticks.length === 1 && count === 0 ? (ticks[0]?.missed ?? 0) : 0,
    })
    previous = at
    at = nextTick(rule, at)
  }
  return covered(rule, state, previous ?? state.nextTickAt, ticks)
}

function runsLeft({ maxRuns }: CatchUpRule, { runs }: TickState): number {
  return maxRuns === null ? Number.POSITIVE_INFINITY : Math.max(0, maxRuns - runs)
}

function covered(rule: CatchUpRule, state: TickState, lastTickAt: number, ticks: readonly PlannedTick[]): TickPlan {
  return { ticks, lastTickAt, ...upcoming(rule, state.name, nextTick(rule, lastTickAt)) }
}

/** The columns of the next tick. */
export function upcoming(
  rule: Rule,
  name: string,
  nextTickAt: number | null,
): Pick<TickPlan, 'nextTickAt' | 'nextRunAt'> {
  return { nextTickAt, nextRunAt: nextTickAt === null ? null : dueAt(rule, name, nextTickAt) }
}

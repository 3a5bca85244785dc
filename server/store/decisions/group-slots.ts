/** Decisions about keys of groups: whether the next job may become pending, and when to look again. */
import type { EffectiveGroupRules } from '../../../shared/groups/rules.ts'
import type { Status } from '../../../shared/status.ts'

/** The state of a key. Both stores keep one row of it. */
export interface KeyState {
  readonly pending: number
  readonly processing: number
  readonly blocked: number
  /** Theoretical arrival time of the next start (GCRA). */
  readonly tat: number | null
  /** Nothing becomes pending before. */
  readonly busyUntil: number | null
  /** Strict order: the seq of the job that has its turn, retries included. */
  readonly turnSeq: number | null
  /** Strict order: the job that has its turn failed for good, and the key waits for an operator. */
  readonly stoppedAt: number | null
}

export const EMPTY_KEY: KeyState = {
  pending: 0,
  processing: 0,
  blocked: 0,
  tat: null,
  busyUntil: null,
  turnSeq: null,
  stoppedAt: null,
}

/** A change of the status of one job of the key; null: before its insert, or after its removal. */
export interface Move {
  readonly seq: number
  readonly from: Status | null
  readonly to: Status | null
}

/** Whether one more job may become pending now. `seq`: of that job; in strict order only the one that has its turn may. */
export function hasRoom(state: KeyState, rules: EffectiveGroupRules, now: number, seq: number): boolean {
  if (rules.order === 'strict' && state.turnSeq !== null && state.turnSeq !== seq) return false
  if (!hasSlot(state, rules) || (state.busyUntil !== null && state.busyUntil > now)) return false
  return rules.rate === null || nextStartAt(state, rules.rate, now) <= now
}

/** A new job waits behind those that are blocked already. */
export function admitsNew(state: KeyState, rules: EffectiveGroupRules, now: number, seq: number): boolean {
  return state.blocked === 0 && hasRoom(state, rules, now, seq)
}

/**
 * When the next blocked job may become pending without another event. null: only an event can change that, or none is blocked.
 * It cannot know whether a strict key has its turn's job among the blocked ones: `now` after a hand-on found none means null.
 */
export function wakeTime(state: KeyState, rules: EffectiveGroupRules, now: number): number | null {
  if (state.blocked === 0 || isStopped(state, rules) || !hasSlot(state, rules)) return null
  const startAt = rules.rate === null ? now : nextStartAt(state, rules.rate, now)
  const at = Math.max(now, startAt, state.busyUntil ?? now)
  return Number.isFinite(at) ? Math.ceil(at) : null
}

/** The state after a job of the key has moved. A claim (`to: 'processing'`) uses a token of the rate limit. */
export function afterMove(state: KeyState, { seq, from, to }: Move, rules: EffectiveGroupRules, now: number): KeyState {
  const change = (status: Status) => (to === status ? 1 : 0) - (from === status ? 1 : 0)
  const isClaim = to === 'processing' && from !== 'processing'
  return {
    pending: state.pending + change('pending'),
    processing: state.processing + change('processing'),
    blocked: state.blocked + change('blocked'),
    tat: isClaim && rules.rate !== null ? afterStart(state, rules.rate, now) : state.tat,
    busyUntil: state.busyUntil !== null && state.busyUntil > now ? state.busyUntil : null,
    ...turn(state, { seq, from, to }, rules, now),
  }
}

/** A handler was refused by an upstream: nothing of the key becomes pending for `ms`. */
export function afterBusy(state: KeyState, ms: number, now: number): KeyState {
  return { ...state, busyUntil: Math.max(state.busyUntil ?? 0, now + ms) }
}

/** The job that stopped the key may still run again: after a retry. */
function isStopped({ stoppedAt }: KeyState, rules: EffectiveGroupRules): boolean {
  return rules.order === 'strict' && stoppedAt !== null
}

function hasSlot({ pending, processing }: KeyState, rules: EffectiveGroupRules): boolean {
  if (rules.paused) return false
  if (rules.concurrency !== null && pending + processing >= rules.concurrency) return false
  return pending < rules.window
}

type Rate = NonNullable<EffectiveGroupRules['rate']>

/** When one more pending job will have a token, those pending now included. Infinity: only a claim can make room. */
function nextStartAt(state: KeyState, rate: Rate, now: number): number {
  if (state.pending >= rate.burst) return Number.POSITIVE_INFINITY
  const spacing = rate.perMs / rate.limit
  return arrival(state, rate, now) - spacing * (rate.burst - 1) + spacing * state.pending
}

function afterStart(state: KeyState, rate: Rate, now: number): number {
  return arrival(state, rate, now) + rate.perMs / rate.limit
}

/**
 * No more than a whole burst is ever owed. A time that is twice as far ahead is from before the clock was set back or the rate was
 * raised, and does not count. (A bound relative to now would move along with it, and the key would never start.) A fraction of a
 * millisecond is carried on: wake times are whole ones.
 */
function arrival({ tat }: KeyState, rate: Rate, now: number): number {
  const burstMs = (rate.burst * rate.perMs) / rate.limit
  return tat === null || tat <= now - 1 || tat > now + 2 * burstMs ? now : tat
}

/** In strict order a job has its turn from when it becomes pending until it is finished or removed. */
function turn(
  { turnSeq, stoppedAt }: KeyState,
  { seq, to }: Move,
  { order, onDead }: EffectiveGroupRules,
  now: number,
): Pick<KeyState, 'turnSeq' | 'stoppedAt'> {
  if (order !== 'strict') return { turnSeq: null, stoppedAt: null }
  if (to === 'pending' || to === 'processing') {
    return { turnSeq: turnSeq ?? seq, stoppedAt: turnSeq === seq ? null : stoppedAt }
  }
  if (turnSeq !== seq) return { turnSeq, stoppedAt }
  // A retry of the job that stopped the key lets it continue, even if the job has to wait first.
  if (to === 'scheduled' || to === 'retrying' || to === 'blocked') return { turnSeq, stoppedAt: null }
  if (to === 'failed' && onDead === 'stop') return { turnSeq, stoppedAt: now }
  return { turnSeq: null, stoppedAt: null }
}

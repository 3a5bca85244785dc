/** Admission of jobs to a key: the status of a new or returning job, and what an enqueue does while the key is full. */
import type { GroupRules, WhenFull } from '../../../shared/contracts/groups.ts'
import type { EffectiveGroupRules } from '../../../shared/groups/rules.ts'
import type { Status } from '../../../shared/status.ts'
import { admitsNew, afterMove, hasRoom, type KeyState, type Move, wakeTime } from './group-slots.ts'

/** How many blocked jobs one commit makes pending, and how many pending ones it blocks again. */
export const MAX_HANDED_ON = 1_000
/** How many jobs of its key one new job replaces. */
export const MAX_REPLACED = 1_000
/** No job has this number: stands for a new job, which gets its own with the insert. */
export const NEW_SEQ = 0

/** What happens to a job that is due and has never run. `wait`: it becomes blocked. */
export type Admission = 'pending' | WhenFull

/** `whenFull`: of the job. null: the rule of the group. */
export function admissionOfNew(
  state: KeyState,
  rules: EffectiveGroupRules,
  whenFull: WhenFull | null,
  now: number,
  seq = NEW_SEQ,
): Admission {
  return admitsReturning(state, rules, now, seq) ? 'pending' : (whenFull ?? rules.whenFull)
}

/** The status of a job that comes back to its key, where it would be `pending` without a group. */
export function returningStatus(
  state: KeyState,
  { seq, from }: Pick<Move, 'seq' | 'from'>,
  rules: EffectiveGroupRules,
  now: number,
): 'pending' | 'blocked' {
  // Without the slot that it leaves. A waiting status keeps the turn of a job in strict order.
  const left = afterMove(state, { seq, from, to: 'retrying' }, rules, now)
  return admitsReturning(left, rules, now, seq) ? 'pending' : 'blocked'
}

/** A job waits behind those that are blocked already, unless it has its turn in strict order. */
function admitsReturning(state: KeyState, rules: EffectiveGroupRules, now: number, seq: number): boolean {
  const hasTurn = rules.order === 'strict' && state.turnSeq === seq
  return hasTurn ? hasRoom(state, rules, now, seq) : admitsNew(state, rules, now, seq)
}

/**
 * In strict order the only blocked job that may become pending; null: the first of the line. While it is not blocked itself, nothing
 * of the key becomes pending.
 */
export function turnOf({ turnSeq }: KeyState, { order }: EffectiveGroupRules): number | null {
  return order === 'strict' ? turnSeq : null
}

/** How many more jobs may become pending now, if each is handed on: at most `limit`. `seq` in strict order: of the job with the turn. */
export function placesLeft(state: KeyState, rules: EffectiveGroupRules, now: number, limit = MAX_HANDED_ON): number {
  const most = Math.min(limit, state.blocked)
  const seq = turnOf(state, rules) ?? NEW_SEQ
  let after = state
  let places = 0
  while (places < most && hasRoom(after, rules, now, seq)) {
    places += 1
    after = { ...after, pending: after.pending + 1, blocked: after.blocked - 1 }
  }
  return places
}

/**
 * When to hand on again without another event. `isStuck`: the job that has its turn is not blocked, so that only its own next move
 * lets another one become pending.
 */
export function nextWake(state: KeyState, rules: EffectiveGroupRules, now: number, isStuck: boolean): number | null {
  return isStuck ? null : wakeTime(state, rules, now)
}

/** The state after an operator resumed a key. A key that was not stopped keeps its turn. */
export function afterResume(state: KeyState): KeyState {
  return state.stoppedAt === null ? state : { ...state, turnSeq: null, stoppedAt: null }
}

/** Whether pending jobs of the key have to be blocked again. */
export function mustWithdraw(state: KeyState, rules: EffectiveGroupRules, now: number): boolean {
  return state.pending > 0 && (rules.paused || (state.busyUntil !== null && state.busyUntil > now))
}

/** Overrides after an update. Keys in `clear` lose their override. */
export function changedOverride<Rules extends GroupRules>(
  override: Rules,
  set: Rules,
  clear: readonly (keyof GroupRules)[],
): Rules {
  const changed = { ...override, ...set }
  for (const rule of clear) delete changed[rule]
  return changed
}

/** Whether a status is counted in the row of a key. */
export function isCounted(status: Status | null): boolean {
  return status === 'pending' || status === 'processing' || status === 'blocked'
}

/** Whether a job leaves a place that the next one of its key may take. */
export function makesRoom({ from }: Pick<Move, 'from'>): boolean {
  return from === 'pending' || from === 'processing'
}

/** How far ahead of the clock a job may be put, so that it comes after jobs of other keys that became pending in the same millisecond. */
const MAX_AHEAD_MS = 1_000

/**
 * The `runAt` of a job that is handed on: the end of the line. `lastRunAt`: of the job of the key that made room. Without the step of
 * a millisecond a key with older jobs would come before all others within one millisecond of the clock.
 */
export function endOfLine(lastRunAt: number | null, now: number): number {
  return lastRunAt === null ? now : Math.min(Math.max(now, lastRunAt + 1), now + MAX_AHEAD_MS)
}

/** Whether a job still has the status that a bulk operation gave it: its group alone moves it between blocked and pending. */
export function isUnchanged(status: Status, after: Status): boolean {
  const isReady = (one: Status) => one === 'pending' || one === 'blocked'
  return status === after || (isReady(status) && isReady(after))
}

/** Chooses the jobs of a claim: which pending jobs it picks, and when claiming again could succeed. */
import type { EffectiveSettings } from '../../../shared/settings/settings.ts'
import type { ClaimedRow, ClaimOutcome, OpOf } from '../ops.ts'
import type { Capacity } from './capacity.ts'
import type { Candidate } from './claim-order.ts'
import type { Isolation, Suspect } from './isolation.ts'
import type { KnownType, Rules } from './rules.ts'

export type ClaimOp = OpOf<'claim'>

/** Maximum number of jobs per type for a claim. */
export type EligibleTypes = Map<KnownType, number>

/** The pending jobs of each type in claim order, as one commit reads them. */
export interface CandidateSource {
  /** The type whose first candidate comes first in claim order. Between two calls with one map, types may only be deleted. */
  best(types: ReadonlyMap<KnownType, number>): KnownType | undefined
  /** The first candidate of all these types. */
  first(types: ReadonlyMap<KnownType, number>): Candidate | undefined
  /** Takes the first candidate of a type that `best` has returned. */
  pop(type: string): Candidate
}

/** A job chosen for a claim. */
export interface Choice {
  readonly seq: number
  readonly type: string
  readonly priority: number
  readonly runAt: number
  readonly op: ClaimOp
  readonly effective: EffectiveSettings
  /** The jobs of the claim's outcome: the job is added to it once it has been taken. */
  readonly jobs: ClaimedRow[]
  readonly suspect: Suspect | null
}

/** The claims of one commit. */
export interface ClaimState {
  readonly rules: Rules
  readonly capacity: Capacity
  readonly candidates: CandidateSource
  /** Jobs that were chosen and not yet taken. */
  readonly choices: Choice[]
  /** The types that a claim may take jobs of, whether they have any or not. */
  requestedTypes(op: ClaimOp): readonly KnownType[]
  /** null: no job has crashes. */
  isolate(now: number): Isolation | null
}

/** Longer than any lease: stands for "no deadline" in SQL. */
export const NO_DEADLINE_MS = 10 ** 12

/** The outcome of a claim that gets no jobs, whichever there are; null for other claims. */
export function refusedClaim(op: ClaimOp, rules: Rules): ClaimOutcome | null {
  if (rules.isDraining(op.worker)) return { jobs: [], nextEligibleAt: null, draining: true }
  if (rules.isPaused()) return { jobs: [], nextEligibleAt: null }
  return null
}

export function eligibleTypes(types: readonly KnownType[], capacity: Capacity, now: number): EligibleTypes {
  const eligible: EligibleTypes = new Map()
  for (const type of types) {
    const count = capacity.of(type, now)
    if (count > 0) eligible.set(type, count)
  }
  return eligible
}

/** Chooses jobs for one claim, and counts them off `eligible`. `promoteAt`: when the next waiting job becomes due. */
export function chooseJobs(
  state: ClaimState,
  op: ClaimOp,
  eligible: EligibleTypes,
  now: number,
  promoteAt: number | null,
): ClaimOutcome {
  const { rules, capacity, candidates } = state
  const jobs: ClaimedRow[] = []
  let most = Math.min(op.limit, capacity.ofQueue(now))
  const isolation = most > 0 && eligible.size > 0 ? state.isolate(now) : null
  if (isolation) {
    const typeOf = (name: string) => rules.type(name)
    const permission = isolation.permit(op, typeOf, eligible, candidates.first(eligible))
    if (permission === 'nothing') most = 0
    else if (permission !== 'others') {
      const { suspect } = permission
      const type = rules.type(suspect.type)
      if (type) {
        choose(state, op, type, suspect.candidate, jobs, suspect, now)
        isolation.chosen(op, suspect)
        countOff(eligible, type)
      }
      return { jobs, nextEligibleAt: null }
    }
  }
  let chosen = 0
  while (chosen < most && eligible.size > 0) {
    const type = candidates.best(eligible)
    if (!type) break
    choose(state, op, type, candidates.pop(type.name), jobs, null, now)
    isolation?.chosen(op, null)
    countOff(eligible, type)
    chosen += 1
  }
  if (chosen > 0) return { jobs, nextEligibleAt: null }
  const types = state.requestedTypes(op)
  if (!isolation) return { jobs, nextEligibleAt: nextEligibleAt(types, capacity, now, promoteAt) }
  // Jobs of eligible types are left for other workers: no instant makes them claimable for this one.
  const limited = types.filter((type) => !eligible.has(type))
  return { jobs, nextEligibleAt: nextEligibleAt(limited, capacity, now, promoteAt), passedOver: true }
}

function choose(
  { choices, capacity }: ClaimState,
  op: ClaimOp,
  type: KnownType,
  [seq, priority, runAt]: Candidate,
  jobs: ClaimedRow[],
  suspect: Suspect | null,
  now: number,
): void {
  choices.push({ seq, type: type.name, priority, runAt, op, effective: type.effective, jobs, suspect })
  capacity.take(type, now)
}

function countOff(eligible: EligibleTypes, type: KnownType): void {
  const left = (eligible.get(type) ?? 0) - 1
  if (left > 0) eligible.set(type, left)
  else eligible.delete(type)
}

function nextEligibleAt(
  types: readonly KnownType[],
  capacity: Capacity,
  now: number,
  promoteAt: number | null,
): number | null {
  let next = promoteAt
  for (const type of types) {
    const at = capacity.nextAt(type, now)
    if (at !== null && (next === null || at < next)) next = at
  }
  return next
}

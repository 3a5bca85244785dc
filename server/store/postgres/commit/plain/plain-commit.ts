/** Plain commits: completions, new jobs and claims without limits, in two round trips. */
import type { EnqueueResult } from '../../../../../shared/job.ts'
import type { ClockTrust } from '../../../clock-trust.ts'
import type { ClaimOp } from '../../../decisions/choose-jobs.ts'
import { completed } from '../../../decisions/settle-outcome.ts'
import type { ClaimOutcome, Op, OpOf, Outcome } from '../../../ops.ts'
import type { Commit } from '../../../store.ts'
import type { Catalog } from '../../claims/catalog.ts'
import { type PlainGroup, plainGroups, plainJobs, takePlain } from '../../claims/plain-claim.ts'
import type { TypeCounts } from '../../claims/readiness.ts'
import type { Session } from '../../connection/session.ts'
import type { Mark } from '../commit-outcome.ts'
import { Insert } from '../insert.ts'
import type { Ledger } from '../ledger.ts'
import { type Conditions, nextPromotion, readConditions } from './conditions.ts'
import { type CompletedRecord, completeJobs } from './plain-complete.ts'

/** The assumptions of a plain commit did not hold. It is rolled back and repeated as a normal commit. */
export class NotPlain extends Error {}

export interface PlainPlan {
  readonly ops: readonly Op[]
  readonly completes: readonly OpOf<'complete'>[]
  readonly enqueues: readonly OpOf<'enqueue'>[]
  readonly groups: readonly PlainGroup[]
  readonly requestIds: readonly string[]
}

export interface PlainParts {
  readonly session: Session
  readonly ledger: Ledger
  readonly catalog: Catalog
  readonly trust: ClockTrust
}

export interface PlainResult {
  readonly commit: Omit<Commit, 'ready'>
  /** null: nothing was written. */
  readonly mark: Mark | null
  /** Resolves with the response to COMMIT at the latest. */
  readonly counts: Promise<readonly TypeCounts[]>
}

/** null: the operations need decisions between their statements. */
export function planPlain(ops: readonly Op[], catalog: Catalog): PlainPlan | null {
  if (!catalog.isLoaded || ops.length === 0) return null
  const completes: OpOf<'complete'>[] = []
  const enqueues: OpOf<'enqueue'>[] = []
  const claims: ClaimOp[] = []
  for (const op of ops) {
    if (op.kind === 'complete') completes.push(op)
    else if (op.kind === 'enqueue') enqueues.push(op)
    else if (op.kind === 'claim') claims.push(op)
    else return null
  }
  const requestIds = claims.flatMap(({ requestId }) => requestId ?? [])
  const isKnown = ({ type, kind }: OpOf<'enqueue'>['jobs'][number]) => catalog.type(type)?.kind === kind
  if (hasRepeats(completes.map(({ id }) => id)) || hasRepeats(requestIds)) return null
  if (!enqueues.every(({ jobs }) => jobs.every(isKnown))) return null
  const groups = plainGroups(claims, catalog)
  return groups && { ops, completes, enqueues, groups, requestIds }
}

/**
 * First trip: BEGIN, all writes to jobs, and the conditions under which they are right. Second trip: counters and COMMIT, which the
 * caller sends behind them.
 */
export async function runPlain(parts: PlainParts, plan: PlainPlan): Promise<PlainResult> {
  const { session, ledger, catalog, trust } = parts
  const { ops, completes, enqueues, groups, requestIds } = plan
  const insert = new Insert(session, ledger)
  const [done, inserted, taken, conditions] = await Promise.all([
    completes.length > 0 ? completeJobs(session, completes) : [],
    enqueues.length > 0 ? insert.enqueue(enqueues) : [],
    Promise.all(groups.map((group) => takePlain(session, group))),
    readConditions(session, requestIds),
  ])
  const { now, id, at, server } = conditions
  session.beginAt(now)
  trust.observe(now)
  const promoteAt = nextPromotion(conditions, trust)
  if (groups.length > 0) requirePlainClaims(conditions, promoteAt)
  const completesOwnRequest = done.some(
    ({ claimRequestId }) => claimRequestId !== null && requestIds.includes(claimRequestId),
  )
  const hasTicks = done.some(({ tick }) => tick !== null)
  if (!catalog.isCurrent(conditions.fingerprint) || completesOwnRequest || insert.hasRetried || hasTicks)
    throw new NotPlain()
  recordCompleted(ledger, done, completes, now)
  const claimed = new Map<ClaimOp, ClaimOutcome>()
  for (const jobsOf of taken) {
    for (const [op, records] of jobsOf) {
      const jobs = plainJobs(records, catalog, ledger, now)
      claimed.set(op, { jobs, nextEligibleAt: jobs.length > 0 ? null : promoteAt })
    }
  }
  const outcomes = outcomesOf(ops, inserted, claimed)
  const due = { promoteAt, leaseAt: ledger.firstLeaseAt }
  const commit = { now, outcomes, changes: ledger.changes(), measures: ledger.allMeasures(), due }
  const counts = session.later(ledger.flushAndCount(session))
  if (catalog.hasRates()) session.later(catalog.readBuckets(session))
  return { commit, mark: id === null ? null : { id, at, server }, counts }
}

/** A plain claim cannot promote due jobs, isolate jobs with crashes, or repeat an earlier response. */
function requirePlainClaims({ now, hasSuspects, isRepeated }: Conditions, promoteAt: number | null): void {
  if (hasSuspects || isRepeated || (promoteAt !== null && promoteAt <= now)) throw new NotPlain()
}

function recordCompleted(
  ledger: Ledger,
  done: readonly CompletedRecord[],
  completes: readonly OpOf<'complete'>[],
  now: number,
): void {
  const byId = new Map(done.map((job) => [job.id, job]))
  for (const { id, durationMs: ownMs } of completes) {
    const job = byId.get(id)
    if (!job) throw new NotPlain()
    const { type, startedAt, lockedBy: worker } = job
    ledger.record({ id, type, from: 'processing', to: 'completed' }, { runMs: now - (startedAt ?? now), ownMs, worker })
  }
}

function outcomesOf(
  ops: readonly Op[],
  inserted: readonly (readonly EnqueueResult[])[],
  claimed: ReadonlyMap<Op, ClaimOutcome>,
): readonly Outcome[] {
  let place = 0
  return ops.map((op) => {
    if (op.kind === 'complete') return { ok: true, value: completed(op) }
    return { ok: true, value: op.kind === 'enqueue' ? inserted[place++] : claimed.get(op) }
  })
}

function hasRepeats(values: readonly string[]): boolean {
  return new Set(values).size < values.length
}

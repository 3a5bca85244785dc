/** Plain commits: settles, new jobs and claims in two round trips; three with claims of limited types. */
import type { EnqueueResult } from '../../../../../shared/job.ts'
import { WEBHOOK_TYPE } from '../../../../../shared/reserved-types.ts'
import type { ClaimOp } from '../../../decisions/choose-jobs.ts'
import { completed, type SettleOp } from '../../../decisions/settle-outcome.ts'
import type { ClaimOutcome, NewJob, Op, OpOf, Outcome } from '../../../ops.ts'
import type { Commit } from '../../../store.ts'
import type { Catalog } from '../../claims/catalog.ts'
import { Claim } from '../../claims/claim.ts'
import { requestedTypes } from '../../claims/claim-rows.ts'
import { type PlainClaims, plainJobs, planClaims, type Taken, takePlain } from '../../claims/plain-claim.ts'
import type { TypeCounts } from '../../claims/readiness.ts'
import type { StoreTimeSource } from '../../connection/clock.ts'
import type { Mark } from '../commit-outcome.ts'
import type { CommitContext } from '../context.ts'
import { earliest } from '../due-times.ts'
import { PlainKeys } from '../groups/plain-keys.ts'
import { Insert } from '../insert.ts'
import { mayHaveKey } from '../jobs-of.ts'
import type { Ledger } from '../ledger.ts'
import { type Conditions, nextPromotion, readConditions } from './conditions.ts'
import { HasGroups, HasSchedules, NotPlain } from './not-plain.ts'
import { type CompletedRecord, completeJobs } from './plain-complete.ts'
import { PlainSettles } from './plain-settle.ts'

export interface PlainPlan extends PlainClaims {
  readonly ops: readonly Op[]
  readonly completes: readonly OpOf<'complete'>[]
  /** All settles, when one of them needs a decision: it fails or releases a job. */
  readonly settles: readonly SettleOp[]
  readonly enqueues: readonly OpOf<'enqueue'>[]
  readonly claims: readonly ClaimOp[]
  readonly requestIds: readonly string[]
  /** Its jobs may have keys. */
  readonly withKeys: boolean
}

export interface PlainParts extends Omit<CommitContext, 'live' | 'groups' | 'pass'> {
  readonly time: StoreTimeSource
}

export interface PlainResult {
  readonly commit: Omit<Commit, 'ready'>
  /** null: nothing was written. */
  readonly mark: Mark | null
  /** Resolves with the response to COMMIT at the latest. */
  readonly counts: Promise<readonly TypeCounts[]>
  /** Types of the jobs with keys that its claims have found. */
  readonly groupedTypes: ReadonlySet<string>
}

/** null: the operations need more decisions between their statements. */
export function planPlain(ops: readonly Op[], catalog: Catalog, withKeys: boolean): PlainPlan | null {
  if (!catalog.isLoaded || ops.length === 0) return null
  const settles: SettleOp[] = []
  const enqueues: OpOf<'enqueue'>[] = []
  const claims: ClaimOp[] = []
  for (const op of ops) {
    if (op.kind === 'complete' || op.kind === 'fail' || op.kind === 'release') settles.push(op)
    else if (op.kind === 'enqueue') enqueues.push(op)
    else if (op.kind === 'claim') claims.push(op)
    else return null
  }
  const requestIds = claims.flatMap(({ requestId }) => requestId ?? [])
  const isKnown = ({ type, kind }: NewJob) => catalog.type(type)?.kind === kind
  if (hasRepeats(settles.map(({ id }) => id)) || hasRepeats(requestIds)) return null
  if (!enqueues.every(({ jobs }) => jobs.every((job) => isKnown(job) && !mayHaveKey(job, catalog)))) return null
  const planned = planClaims(claims, catalog)
  if (!planned || (withKeys && planned.limited.length > 0)) return null
  const plan = { ops, enqueues, claims, ...planned, requestIds, withKeys }
  const completes = settles.filter((op) => op.kind === 'complete')
  if (completes.length === settles.length) return { ...plan, completes, settles: [] }
  if (withKeys) return null
  // These settles are written behind the new jobs and the claims, which would have to see them.
  const isReleased = settles.some((op) => op.kind === 'release' && op.delayMs <= 0)
  if ((isReleased && claims.length > 0) || enqueues.some(({ jobs }) => jobs.some(hasDedupeKey))) return null
  return { ...plan, completes: [], settles }
}

/**
 * First trip: BEGIN, all locks, the writes that need no decision, and the conditions under which they are right. Last trip: the other
 * writes, counters and COMMIT, which the caller sends behind them. Jobs of limited types are taken in a trip between the two.
 */
export async function runPlain(parts: PlainParts, plan: PlainPlan): Promise<PlainResult> {
  const { session, ledger, catalog, trust, time } = parts
  const { ops, completes, enqueues, groups, limited, requestIds, withKeys } = plan
  const insert = new Insert(session, ledger)
  const settles = new PlainSettles(parts, plan.settles)
  const claim = limited.length > 0 ? new Claim({ ...parts, groups: null, onCompleted: () => {} }) : null
  const keys = withKeys ? new PlainKeys(parts) : null
  const hasWaited = claim !== null || withKeys
  // In the lock order of all commits: jobs by seq, then their keys, then dedupe keys of new jobs, then limits, then jobs that wait.
  const [, done, , inserted, , taken, conditions] = await Promise.all([
    settles.lock(),
    completes.length > 0 ? completeJobs(session, completes, withKeys) : [],
    completes.length > 0 ? keys?.lockOf(completes) : undefined,
    enqueues.length > 0 ? insert.enqueue(enqueues) : [],
    claim?.readAhead(limited),
    Promise.all(groups.map((group) => takePlain(session, group, withKeys))),
    readConditions(session, catalog, { requestIds, hasWaited }),
  ])
  const { id, at, server } = conditions
  const now = (hasWaited ? time.fixed() : null) ?? conditions.now
  session.beginAt(now)
  trust.observe(now)
  const completesOwnRequest = done.some(
    ({ claimRequestId }) => claimRequestId !== null && requestIds.includes(claimRequestId),
  )
  if (!catalog.isCurrent(conditions) || completesOwnRequest || insert.hasRetried) throw new NotPlain()
  if (keys) refuseSchedules(done)
  else refuseGroups(done, taken)
  recordCompleted(ledger, done, completes, now)
  await settles.decide()
  await keys?.completed(done)
  const due = earliest(nextPromotion(conditions, trust), settles.nextDue(trust))
  const promoteAt = earliest(due, keys?.firstWakeAt() ?? null)
  if (plan.claims.length > 0) requirePlainClaims({ ...conditions, now }, promoteAt)
  await writeSettles(settles, insert, plan, catalog)
  const claimed = new Map<Op, ClaimOutcome>()
  for (const jobsOf of keys ? await keys.claimed(groups, taken) : taken) {
    const nextEligibleAt = earliest(promoteAt, (await keys?.retryAt(jobsOf)) ?? null)
    for (const [op, records] of jobsOf) {
      const jobs = plainJobs(records, catalog, ledger, now)
      claimed.set(op, { jobs, nextEligibleAt: jobs.length > 0 ? null : nextEligibleAt })
    }
  }
  const chosen = await claim?.claimAhead(limited, promoteAt)
  limited.forEach((op, place) => {
    const outcome = chosen?.[place]
    if (outcome) claimed.set(op, outcome)
  })
  const outcomes = outcomesOf(ops, settles.outcomes, inserted, claimed)
  await keys?.write()
  const commit = {
    ...{ now, outcomes, changes: ledger.changes(), measures: ledger.allMeasures() },
    due: { promoteAt: earliest(due, keys?.firstWakeAt() ?? null), leaseAt: ledger.firstLeaseAt },
  }
  const counts = session.later(ledger.flushAndCount(session))
  if (catalog.hasRates()) session.later(catalog.readBuckets(session, ledger.types()))
  const groupedTypes = keys?.claimedTypes() ?? new Set<string>()
  return { commit, mark: id === null ? null : { id, at, server }, counts, groupedTypes }
}

/** A plain claim cannot promote due jobs, isolate jobs with crashes, or repeat an earlier response. */
function requirePlainClaims({ now, hasSuspects, isRepeated }: Conditions, promoteAt: number | null): void {
  if (hasSuspects || isRepeated || (promoteAt !== null && promoteAt <= now)) throw new NotPlain()
}

/** Webhook jobs of failures take a round trip more. */
async function writeSettles(
  settles: PlainSettles,
  insert: Insert,
  { claims }: PlainPlan,
  catalog: Catalog,
): Promise<void> {
  const notices = settles.notices()
  const claimsNotices = () => claims.some((op) => requestedTypes(catalog, op).some(({ name }) => name === WEBHOOK_TYPE))
  if (claims.length > 0 && settles.freesJobs) throw new NotPlain()
  if (!notices || (notices.jobs.length > 0 && claimsNotices())) throw new NotPlain()
  settles.flush()
  if (notices.jobs.length > 0) await insert.enqueue([notices])
}

/** Jobs with keys need the rows of these. */
function refuseGroups(done: readonly CompletedRecord[], taken: readonly Taken[]): void {
  const claimed = taken.flatMap((ofGroup) => [...ofGroup.values()].flat())
  const grouped = [...done, ...claimed].find(({ groupKey = null }) => groupKey !== null)
  if (grouped) throw new HasGroups(grouped.type)
  refuseSchedules(done)
}

/** A job of a schedule changes the row of the schedule too. */
function refuseSchedules(done: readonly CompletedRecord[]): void {
  const scheduled = done.find(({ tick }) => tick !== null)
  if (scheduled) throw new HasSchedules(scheduled.type)
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
  settled: ReadonlyMap<Op, Outcome>,
  inserted: readonly (readonly EnqueueResult[])[],
  claimed: ReadonlyMap<Op, ClaimOutcome>,
): readonly Outcome[] {
  let place = 0
  return ops.map((op) => {
    const outcome = settled.get(op)
    if (outcome) return outcome
    if (op.kind === 'complete') return { ok: true, value: completed(op) }
    return { ok: true, value: op.kind === 'enqueue' ? inserted[place++] : claimed.get(op) }
  })
}

function hasDedupeKey({ dedupeKey }: NewJob): boolean {
  return dedupeKey !== null
}

function hasRepeats(values: readonly string[]): boolean {
  return new Set(values).size < values.length
}

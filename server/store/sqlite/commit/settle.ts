/** Ends attempts: complete, fail, release; each fenced by version, each repeatable. */
import type { SettleResult } from '../../../../shared/job.ts'
import { isCurrent } from '../../decisions/fence.ts'
import {
  completed,
  RECORDED,
  type RecordedOutcome,
  recordedOnJob,
  repeated,
  type SettleOp,
  settled,
  settleTransition,
} from '../../decisions/settle-outcome.ts'
import type { Lease, OpOf } from '../../ops.ts'
import type { LiveRow } from '../../rows/live-rows.ts'
import type { Catalog } from '../claims/catalog.ts'
import { HELD_CLAIM, type HeldClaim, type HeldClaimRow, type HeldClaims } from '../claims/held-claims.ts'
import type { Client } from '../connection/open.ts'
import { FinishedJobs } from './finished-jobs.ts'
import { type Groups, groupOfRow } from './groups/groups.ts'
import type { Ledger } from './ledger.ts'
import type { LiveJobs } from './live-jobs.ts'

export interface SettleOptions {
  readonly client: Client
  readonly live: LiveJobs
  readonly heldClaims: HeldClaims
  readonly ledger: Ledger
  readonly groups: Groups
  readonly catalog: Catalog
  /** Called within the commit when a job of a schedule has completed. */
  readonly onCompleted: (tick: string, now: number) => void
}

export class Settle {
  private readonly live: LiveJobs
  private readonly heldClaims: HeldClaims
  private readonly ledger: Ledger
  private readonly groups: Groups
  private readonly catalog: Catalog
  private readonly onCompleted: SettleOptions['onCompleted']
  private readonly selectHeld
  private readonly finished
  private readonly selectAttempt

  constructor({ client, live, heldClaims, ledger, groups, catalog, onCompleted }: SettleOptions) {
    this.onCompleted = onCompleted
    this.live = live
    this.heldClaims = heldClaims
    this.ledger = ledger
    this.groups = groups
    this.catalog = catalog
    this.selectHeld = client.prepare<[id: string, version: number], HeldClaimRow>(
      `SELECT ${HELD_CLAIM.list} FROM millrace_jobs WHERE id = ? AND status = 'processing' AND version = ?`,
    )
    this.finished = new FinishedJobs(client)
    this.selectAttempt = client.prepare<[seq: number, version: number], RecordedOutcome>(
      `SELECT ${RECORDED.list} FROM millrace_job_attempts WHERE seq = ? AND version = ?`,
    )
  }

  /** Completing needs no decision and is the transition of nearly every job: the fence is in the UPDATE. */
  complete(op: OpOf<'complete'>, now: number): SettleResult {
    const { id, version, result, durationMs: ownMs } = op
    const claim = this.finishClaim(op, now)
    if (!claim) return this.repeat(op, this.live.get(id))
    const { seq, type, startedAt, worker, group, runAt, tick } = claim
    if (result !== null) this.finished.addResult(seq, result)
    this.ledger.record({ id, type, from: 'processing', to: 'completed' }, { runMs: now - startedAt, ownMs, worker })
    if (group) this.groups.moved(group, { seq, from: 'processing', to: 'completed' }, now, runAt)
    if (tick !== null) this.onCompleted(tick, now)
    return completed({ id, version })
  }

  /** The fence is in the UPDATE; the cached claim only saves the lookup of the row. */
  private finishClaim({ id, version }: Lease, now: number): HeldClaim | undefined {
    const cached = this.heldClaims.take(id, version)
    if (cached) {
      this.finished.add(cached, now)
      return cached
    }
    const row = this.selectHeld.get(id, version)
    if (!row) return undefined
    const { seq, type, startedAt, lockedBy, runAt, tick } = row
    const claim = {
      seq,
      type,
      version,
      startedAt: startedAt ?? now,
      worker: lockedBy,
      group: groupOfRow(row),
      runAt,
      tick,
    }
    this.finished.add(claim, now)
    return claim
  }

  /** Writes the completed jobs: before the rows of jobs are read, and at the end of the commit. */
  flush(): void {
    this.finished.flush()
  }

  /** After a rollback. A cached claim may have been the reason for it: from here on the rows decide. */
  forget(): void {
    this.finished.forget()
    this.heldClaims.clear()
  }

  settle(op: OpOf<'fail'> | OpOf<'release'>, now: number): SettleResult {
    const job = this.live.get(op.id)
    if (!isCurrent(job, op.version)) return this.repeat(op, job)
    const decided = settleTransition(op, job, this.catalog.effective(job.type), now)
    const made = this.live.apply(job, decided, now)
    const group = groupOfRow(job)
    if (group && op.kind === 'release' && op.groupBusy && op.delayMs > 0) this.groups.busy(group, op.delayMs, now)
    return settled(op, made)
  }

  private repeat(op: SettleOp, job: LiveRow): SettleResult {
    return repeated(op, recordedOnJob(job, op.version) ?? this.selectAttempt.get(job.seq, op.version))
  }
}

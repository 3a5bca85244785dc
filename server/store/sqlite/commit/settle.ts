/** Ends attempts: complete, fail, release; each fenced by version, each repeatable. */
import { staleClaim } from '../../../../shared/errors.ts'
import type { AttemptOutcome, SettleResult } from '../../../../shared/job.ts'
import { failJob, releaseJob } from '../../../../shared/lifecycle.ts'
import { isTerminal, type Status } from '../../../../shared/status.ts'
import type { OpOf } from '../../ops.ts'
import type { Catalog } from '../claims/catalog.ts'
import type { HeldClaim, HeldClaims } from '../claims/held-claims.ts'
import type { Client } from '../connection/open.ts'
import type { Ledger } from './ledger.ts'
import type { LiveJobs, LiveRow } from './live-jobs.ts'

export type SettleOp = OpOf<'complete'> | OpOf<'fail'> | OpOf<'release'>

const OUTCOMES: Record<SettleOp['kind'], AttemptOutcome> = {
  complete: 'completed',
  fail: 'failed',
  release: 'released',
}

interface RecordedOutcome {
  readonly outcome: AttemptOutcome
  readonly status: Status
  readonly runAt: number | null
}

/** Worth wrapping in JSON once more, to be written together with its neighbours. */
const SMALL_RESULT = 1_000

interface Finished {
  readonly seq: number
  readonly version: number
  readonly result: string | null
}

export class Settle {
  private readonly live: LiveJobs
  private readonly claims: HeldClaims
  private readonly ledger: Ledger
  private readonly catalog: Catalog
  private readonly selectHeld
  private readonly finish
  private readonly finishAll
  private readonly insertResult
  private readonly insertResults
  private finished: Finished[] = []
  private readonly selectAttempt

  constructor(client: Client, live: LiveJobs, claims: HeldClaims, ledger: Ledger, catalog: Catalog) {
    this.live = live
    this.claims = claims
    this.ledger = ledger
    this.catalog = catalog
    this.selectHeld = client.prepare<[id: string, version: number], HeldClaim>(
      `SELECT seq, type, version, started_at AS startedAt, locked_by AS worker FROM millrace_jobs
       WHERE id = ? AND status = 'processing' AND version = ?`,
    )
    this.finish = client.prepare<[finishedAt: number, updatedAt: number, seq: number, version: number]>(
      `UPDATE millrace_jobs SET status = 'completed', lease_until = NULL, lease_ms = NULL, error = NULL,
         cancel_requested_at = NULL, finished_at = ?, updated_at = ?
       WHERE seq = ? AND status = 'processing' AND version = ?`,
    )
    this.finishAll = client.prepare<[finishedAt: number, updatedAt: number, held: string]>(
      `UPDATE millrace_jobs SET status = 'completed', lease_until = NULL, lease_ms = NULL, error = NULL,
         cancel_requested_at = NULL, finished_at = ?, updated_at = ?
       FROM (SELECT value ->> 0 AS seq, value ->> 1 AS version FROM json_each(?)) AS held
       WHERE millrace_jobs.seq = held.seq AND millrace_jobs.status = 'processing' AND millrace_jobs.version = held.version`,
    )
    this.insertResults = client.prepare<[results: string]>(
      'INSERT INTO millrace_job_results (seq, result) SELECT value ->> 0, value ->> 1 FROM json_each(?)',
    )
    this.insertResult = client.prepare<[number, string]>('INSERT INTO millrace_job_results (seq, result) VALUES (?, ?)')
    this.selectAttempt = client.prepare<[number, number], RecordedOutcome>(
      'SELECT outcome, status_after AS status, next_run_at AS runAt FROM millrace_job_attempts WHERE seq = ? AND version = ?',
    )
  }

  /** The one transition with nothing to decide, and the one that every job takes: written as SQL alone. */
  complete(op: OpOf<'complete'>, now: number): SettleResult {
    const { id, version, result, durationMs: ownMs } = op
    const claim = this.finishClaim(id, version, now)
    if (!claim) return this.repeat(op, this.live.get(id))
    const { seq, type, startedAt, worker } = claim
    if (result !== null) this.insertResult.run(seq, result)
    this.ledger.record({ id, type, from: 'processing', to: 'completed' }, { runMs: now - startedAt, ownMs, worker })
    return { id, version, status: 'completed', runAt: null, repeated: false }
  }

  begin(): void {
    this.finished = []
  }

  /**
   * The same for a claim that is remembered, written together with its neighbours by `flush`: all are current, as they nearly
   * always are, or the commit is undone and run again one by one.
   */
  completeSoon(op: OpOf<'complete'>, now: number): SettleResult {
    const { id, version, result, durationMs: ownMs } = op
    const claim = this.claims.take(id, version)
    if (!claim) {
      this.flush(now)
      return this.complete(op, now)
    }
    this.finished.push({ seq: claim.seq, version, result })
    const measure = { runMs: now - claim.startedAt, ownMs, worker: claim.worker }
    this.ledger.record({ id, type: claim.type, from: 'processing', to: 'completed' }, measure)
    return { id, version, status: 'completed', runAt: null, repeated: false }
  }

  flush(now: number): void {
    const { finished } = this
    if (finished.length === 0) return
    this.finished = []
    const held = JSON.stringify(finished.map(({ seq, version }) => [seq, version]))
    if (this.finishAll.run(now, now, held).changes !== finished.length)
      throw new Error('A claim was not current any more.')
    const small: [number, string][] = []
    for (const { seq, result } of finished) {
      if (result === null) continue
      if (result.length <= SMALL_RESULT) small.push([seq, result])
      else this.insertResult.run(seq, result)
    }
    if (small.length > 0) this.insertResults.run(JSON.stringify(small))
  }

  /** The fence is in the UPDATE; what is remembered of the claim only spares looking up its row first. */
  private finishClaim(id: string, version: number, now: number): HeldClaim | undefined {
    const remembered = this.claims.take(id, version)
    if (remembered && this.finish.run(now, now, remembered.seq, version).changes === 1) return remembered
    const held = this.selectHeld.get(id, version)
    if (held && this.finish.run(now, now, held.seq, version).changes === 1) return held
    return undefined
  }

  settle(op: OpOf<'fail'> | OpOf<'release'>, now: number): SettleResult {
    const { id, version } = op
    const job = this.live.get(id)
    if (job.status !== 'processing' || job.version !== version) return this.repeat(op, job)
    const transition =
      op.kind === 'fail'
        ? failJob(job, op.failure, this.catalog.effective(job.type), now)
        : releaseJob(job, op.delayMs, now)
    this.live.apply(job, transition, now)
    const { status, runAt } = transition.next
    return { id, version, status, runAt: isTerminal(status) ? null : runAt, repeated: false }
  }

  /** The answer may have been lost: the same word again gets the recorded outcome, any other word is stale. */
  private repeat(op: SettleOp, job: LiveRow): SettleResult {
    const recorded = this.recorded(job, op.version)
    if (recorded?.outcome !== OUTCOMES[op.kind]) throw staleClaim(op.id, op.version)
    return { id: op.id, version: op.version, status: recorded.status, runAt: recorded.runAt, repeated: true }
  }

  private recorded(job: LiveRow, version: number): RecordedOutcome | undefined {
    const completed = job.status === 'completed' && job.version === version
    return completed
      ? { outcome: 'completed', status: 'completed', runAt: null }
      : this.selectAttempt.get(job.seq, version)
  }
}

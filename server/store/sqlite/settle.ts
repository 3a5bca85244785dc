/** Ends attempts: complete, fail, release; each fenced by version, each repeatable. */
import { staleClaim } from '../../../shared/errors.ts'
import type { AttemptOutcome, SettleResult } from '../../../shared/job.ts'
import { failJob, releaseJob } from '../../../shared/lifecycle.ts'
import { isTerminal, type Status } from '../../../shared/status.ts'
import type { OpOf } from '../ops.ts'
import type { Catalog } from './catalog.ts'
import type { Ledger } from './ledger.ts'
import type { LiveJobs, LiveRow } from './live-jobs.ts'
import type { Client } from './open.ts'

export type SettleOp = OpOf<'complete'> | OpOf<'fail'> | OpOf<'release'>

const OUTCOMES: Record<SettleOp['kind'], AttemptOutcome> = {
  complete: 'completed',
  fail: 'failed',
  release: 'released',
}

export class Settle {
  private readonly live: LiveJobs
  private readonly ledger: Ledger
  private readonly catalog: Catalog
  private readonly selectHeld
  private readonly recordCompletion
  private readonly finish
  private readonly insertResult
  private readonly selectAttempt

  constructor(client: Client, live: LiveJobs, ledger: Ledger, catalog: Catalog) {
    this.live = live
    this.ledger = ledger
    this.catalog = catalog
    this.selectHeld = client
      .prepare<[id: string, version: number], [seq: number, type: string, worker: string, startedAt: number]>(
        `SELECT seq, type, locked_by, started_at FROM jobs WHERE id = ? AND status = 'processing' AND version = ?`,
      )
      .raw()
    this.recordCompletion = client.prepare<[number, number, string, string, number, number]>(
      `INSERT INTO job_attempts (seq, version, type, worker, started_at, finished_at, outcome, status_after)
       VALUES (?, ?, ?, ?, ?, ?, 'completed', 'completed')`,
    )
    this.finish = client.prepare<[finishedAt: number, updatedAt: number, seq: number, version: number]>(
      `UPDATE jobs SET status = 'completed', lease_until = NULL, lease_ms = NULL, locked_by = NULL, error = NULL,
         cancel_requested_at = NULL, finished_at = ?, updated_at = ?
       WHERE seq = ? AND status = 'processing' AND version = ?`,
    )
    this.insertResult = client.prepare<[number, string]>('INSERT INTO job_results (seq, result) VALUES (?, ?)')
    this.selectAttempt = client.prepare<
      [number, number],
      { outcome: AttemptOutcome; status: Status; runAt: number | null }
    >('SELECT outcome, status_after AS status, next_run_at AS runAt FROM job_attempts WHERE seq = ? AND version = ?')
  }

  /** The one transition with nothing to decide, and the one that every job takes: written as SQL alone. */
  complete(op: OpOf<'complete'>, now: number): SettleResult {
    const { id, version, result } = op
    const held = this.selectHeld.get(id, version)
    if (!held) return this.repeat(op, this.live.get(id))
    const [seq, type, worker, startedAt] = held
    if (this.finish.run(now, now, seq, version).changes !== 1)
      throw new Error(`Job ${id} changed while it was completed.`)
    this.recordCompletion.run(seq, version, type, worker, startedAt, now)
    if (result !== null) this.insertResult.run(seq, result)
    this.ledger.record({ id, type, from: 'processing', to: 'completed', runMs: now - startedAt })
    return { id, version, status: 'completed', runAt: null, repeated: false }
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
    const recorded = this.selectAttempt.get(job.seq, op.version)
    if (recorded?.outcome !== OUTCOMES[op.kind]) throw staleClaim(op.id, op.version)
    return { id: op.id, version: op.version, status: recorded.status, runAt: recorded.runAt, repeated: true }
  }
}

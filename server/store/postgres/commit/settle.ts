/** Ends attempts: complete, fail, release; each fenced by version, each repeatable. */
import { staleClaim } from '../../../../shared/errors.ts'
import type { AttemptOutcome, SettleResult } from '../../../../shared/job.ts'
import { failJob, releaseJob } from '../../../../shared/lifecycle.ts'
import { isTerminal, type Status } from '../../../../shared/status.ts'
import type { OpOf } from '../../ops.ts'
import type { Catalog } from '../claims/catalog.ts'
import type { Session } from '../connection/session.ts'
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

export class Settle {
  private readonly session: Session
  private readonly live: LiveJobs
  private readonly catalog: Catalog

  constructor(session: Session, live: LiveJobs, catalog: Catalog) {
    this.session = session
    this.live = live
    this.catalog = catalog
  }

  async settle(op: SettleOp): Promise<SettleResult> {
    const { id, version } = op
    const job = this.live.get(id)
    if (job.status !== 'processing' || job.version !== version) return this.repeat(op, job)
    if (op.kind === 'complete') {
      this.live.complete(job, op.result, op.durationMs)
      return { id, version, status: 'completed', runAt: null, repeated: false }
    }
    const { now } = this.session
    const transition =
      op.kind === 'fail'
        ? failJob(job, op.failure, this.catalog.effective(job.type), now)
        : releaseJob(job, op.delayMs, now)
    this.live.apply(job, transition)
    const { status, runAt } = transition.next
    return { id, version, status, runAt: isTerminal(status) ? null : runAt, repeated: false }
  }

  /** The answer may have been lost: the same word again gets the recorded outcome, any other word is stale. */
  private async repeat(op: SettleOp, job: LiveRow): Promise<SettleResult> {
    const recorded = await this.recorded(job, op.version)
    if (recorded?.outcome !== OUTCOMES[op.kind]) throw staleClaim(op.id, op.version)
    return { id: op.id, version: op.version, status: recorded.status, runAt: recorded.runAt, repeated: true }
  }

  private async recorded(job: LiveRow, version: number): Promise<RecordedOutcome | undefined> {
    if (job.status === 'completed' && job.version === version) {
      return { outcome: 'completed', status: 'completed', runAt: null }
    }
    this.live.flush()
    const [recorded] = await this.session.rows<RecordedOutcome>(
      'recorded',
      `SELECT outcome, status_after AS status, next_run_at AS "runAt" FROM millrace_job_attempts WHERE seq = $1 AND version = $2`,
      [job.seq, version],
    )
    return recorded
  }
}

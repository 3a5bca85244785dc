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
import type { LiveRow } from '../../rows/live-rows.ts'
import type { CommitContext } from './context.ts'

/** What settling needs of a commit. */
export type SettleContext = Pick<CommitContext, 'session' | 'live' | 'catalog' | 'groups'>

export async function settle(context: SettleContext, op: SettleOp): Promise<SettleResult> {
  const { session, live, catalog } = context
  const job = live.get(op.id)
  if (!isCurrent(job, op.version)) return repeat(context, op, job)
  if (op.kind === 'complete') {
    live.complete(job, op.result, op.durationMs)
    return completed(op)
  }
  const transition = live.apply(job, settleTransition(op, job, catalog.effective(job.type), session.now))
  if (op.kind === 'release' && op.groupBusy && op.delayMs > 0) context.groups.busy(job, op.delayMs)
  return settled(op, transition)
}

async function repeat({ session, live }: SettleContext, op: SettleOp, job: LiveRow): Promise<SettleResult> {
  const recorded = recordedOnJob(job, op.version)
  if (recorded) return repeated(op, recorded)
  live.flush()
  const text = `SELECT ${RECORDED.list} FROM millrace_job_attempts WHERE seq = $1 AND version = $2`
  const [attempt] = await session.rows<RecordedOutcome>('recorded', text, [job.seq, op.version])
  return repeated(op, attempt)
}

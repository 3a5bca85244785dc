/** Decisions about operator actions on one job: retry, run now, cancel, remove. */
import { QueueError } from '../../../shared/errors.ts'
import { cancelJob, type LiveJob, retryJob, runJobNow, type Transition, wrongState } from '../../../shared/lifecycle.ts'
import type { OpOf } from '../ops.ts'

export type JobAction = OpOf<'jobAction'>['action']

/** null: the job is in that state already. */
export function decideAction(action: Exclude<JobAction, 'remove'>, job: LiveJob, now: number): Transition | null {
  switch (action) {
    case 'retry':
      return retryJob(job, now)
    case 'runNow':
      return runJobNow(job, now)
    case 'cancel':
      return cancelJob(job, now)
  }
}

export function refuseRemovalWhileProcessing(job: LiveJob): void {
  if (job.status === 'processing') throw wrongState(job, 'removed', 'not processing (cancel it first)')
}

/** A finished job that becomes active again needs its deduplication key, which another job may hold by now. */
export function keyTaken(id: string, dedupeKey: string, holder: string): QueueError {
  const message = `Job ${holder} now holds the key ${dedupeKey}; finish or remove it first.`
  return new QueueError('DUPLICATE_KEY', message, { id, holder, dedupeKey })
}

/** What producers say: enqueue one job, or many as one. */
import type { EnqueueInput } from '../../../shared/contracts/produce.ts'
import { QueueError } from '../../../shared/errors.ts'
import type { EnqueueResult } from '../../../shared/job.ts'
import type { GroupCommit } from '../commit/group-commit.ts'
import type { NewJobs } from './new-jobs.ts'

export interface Producing {
  /** Stores a job and resolves when it is committed. */
  enqueue(input: EnqueueInput): Promise<EnqueueResult>
  /** Stores up to 1,000 jobs in one transaction: all of them or none. */
  enqueueMany(input: { readonly jobs: readonly EnqueueInput[] }): Promise<readonly EnqueueResult[]>
}

export function createProducing(commits: GroupCommit, newJobs: NewJobs): Producing {
  return {
    async enqueue(input) {
      const [result] = await commits.submit<'enqueue'>({ kind: 'enqueue', jobs: newJobs.one(input) })
      if (!result) throw new QueueError('STORE_FAILED', 'The store gave no outcome for a job.')
      return result
    },
    async enqueueMany(input) {
      return commits.submit<'enqueue'>({ kind: 'enqueue', jobs: newJobs.many(input) })
    },
  }
}

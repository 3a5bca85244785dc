/** Verbs of producers: enqueue one job, or many in one transaction. */
import { QueueError } from '../../../shared/errors.ts'
import type { ParsedVerbs } from '../../../shared/verbs/verb-inputs.ts'
import type { GroupCommit } from '../commit/group-commit.ts'
import type { NewJobs } from './new-jobs.ts'

export function createProducerVerbs(
  commits: GroupCommit,
  newJobs: NewJobs,
): Pick<ParsedVerbs, 'enqueue' | 'enqueueMany'> {
  return {
    async enqueue(params) {
      const [result] = await commits.submit<'enqueue'>({ kind: 'enqueue', jobs: newJobs.one(params) })
      if (!result) throw new QueueError('STORE_FAILED', 'The store returned no result for a job.')
      return result
    },
    async enqueueMany(params) {
      return commits.submit<'enqueue'>({ kind: 'enqueue', jobs: newJobs.many(params) })
    },
  }
}

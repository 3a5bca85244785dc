/** `enqueueTx`: enqueues inside a transaction of the application; the jobs exist only if it commits. */
import type { EnqueueInput } from '../../../shared/contracts/produce.ts'
import { QueueError } from '../../../shared/errors.ts'
import type { HostTransaction, PostgresTransaction, SqliteTransaction } from '../../../shared/host-transaction.ts'
import type { EnqueueResult } from '../../../shared/job.ts'
import type { JobBatch, MaybePromise, Transactional } from '../../../shared/queue.ts'
import { PARSERS } from '../../../shared/verbs/verb-inputs.ts'
import type { NewJob } from '../../store/ops.ts'
import type { Store } from '../../store/store.ts'
import { bytesOf, tooLarge } from '../commit/batch-budget.ts'
import type { NewJobs } from './new-jobs.ts'

type Results = readonly EnqueueResult[]

/** `maxBytes` is the limit of one write, the same as for a commit of the engine. */
export function createTransactional(store: Store, newJobs: NewJobs, maxBytes: number): Transactional {
  const requireFits = (jobs: readonly NewJob[]) => {
    const bytes = bytesOf({ kind: 'enqueue', jobs })
    if (bytes > maxBytes) throw tooLarge(bytes, maxBytes)
    return jobs
  }

  function enqueueTx(tx: SqliteTransaction, input: EnqueueInput): EnqueueResult
  function enqueueTx(tx: PostgresTransaction, input: EnqueueInput): Promise<EnqueueResult>
  function enqueueTx(tx: HostTransaction, input: EnqueueInput): MaybePromise<EnqueueResult>
  function enqueueTx(tx: HostTransaction, input: EnqueueInput): MaybePromise<EnqueueResult> {
    const results = store.enqueueIn(tx, () => requireFits(newJobs.one(PARSERS.enqueue(input))))
    return results instanceof Promise ? results.then(only) : only(results)
  }

  function enqueueManyTx(tx: SqliteTransaction, input: JobBatch): Results
  function enqueueManyTx(tx: PostgresTransaction, input: JobBatch): Promise<Results>
  function enqueueManyTx(tx: HostTransaction, input: JobBatch): MaybePromise<Results>
  function enqueueManyTx(tx: HostTransaction, input: JobBatch): MaybePromise<Results> {
    return store.enqueueIn(tx, () => requireFits(newJobs.many(PARSERS.enqueueMany(input))))
  }

  return { enqueueTx, enqueueManyTx }
}

function only([result]: Results): EnqueueResult {
  if (!result) throw new QueueError('STORE_FAILED', 'The store returned no result for a job.')
  return result
}

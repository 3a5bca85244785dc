/** Enqueueing inside a transaction of the caller's: the jobs are there when it commits, and never were if it does not. */
import type { EnqueueInput } from '../../../shared/contracts/produce.ts'
import { QueueError } from '../../../shared/errors.ts'
import type { EnqueueResult } from '../../../shared/job.ts'
import type { HostTransaction, PostgresTransaction, SqliteTransaction } from '../../store/host-transaction.ts'
import type { NewJob } from '../../store/ops.ts'
import type { Store } from '../../store/store.ts'
import { bytesOf, tooLarge } from '../commit/batch-budget.ts'
import type { NewJobs } from './new-jobs.ts'

export type { HostTransaction, PostgresTransaction, SqliteTransaction }

type Many = { readonly jobs: readonly EnqueueInput[] }
type Results = readonly EnqueueResult[]
/** For callers that work on either database: `await` takes both. */
type Soon<Value> = Value | Promise<Value>

export interface Transactional {
  /** `enqueue` as part of `tx`: at once on SQLite, where a transaction cannot wait; a promise on PostgreSQL. */
  enqueueTx(tx: SqliteTransaction, input: EnqueueInput): EnqueueResult
  enqueueTx(tx: PostgresTransaction, input: EnqueueInput): Promise<EnqueueResult>
  enqueueTx(tx: HostTransaction, input: EnqueueInput): Soon<EnqueueResult>
  /** `enqueueMany` as part of `tx`: all of them or none, and then `tx` decides. */
  enqueueManyTx(tx: SqliteTransaction, input: Many): Results
  enqueueManyTx(tx: PostgresTransaction, input: Many): Promise<Results>
  enqueueManyTx(tx: HostTransaction, input: Many): Soon<Results>
}

/** `mostBytes`: what one write may hold, here as in a commit. */
export function createTransactional(store: Store, newJobs: NewJobs, mostBytes: number): Transactional {
  const bounded = (jobs: readonly NewJob[]) => {
    const bytes = bytesOf({ kind: 'enqueue', jobs })
    if (bytes > mostBytes) throw tooLarge(bytes, mostBytes)
    return jobs
  }

  function enqueueTx(tx: SqliteTransaction, input: EnqueueInput): EnqueueResult
  function enqueueTx(tx: PostgresTransaction, input: EnqueueInput): Promise<EnqueueResult>
  function enqueueTx(tx: HostTransaction, input: EnqueueInput): Soon<EnqueueResult>
  function enqueueTx(tx: HostTransaction, input: EnqueueInput): Soon<EnqueueResult> {
    const results = store.enqueueIn(tx, () => bounded(newJobs.one(input)))
    return results instanceof Promise ? results.then(only) : only(results)
  }

  function enqueueManyTx(tx: SqliteTransaction, input: Many): Results
  function enqueueManyTx(tx: PostgresTransaction, input: Many): Promise<Results>
  function enqueueManyTx(tx: HostTransaction, input: Many): Soon<Results>
  function enqueueManyTx(tx: HostTransaction, input: Many): Soon<Results> {
    return store.enqueueIn(tx, () => bounded(newJobs.many(input)))
  }

  return { enqueueTx, enqueueManyTx }
}

function only([result]: Results): EnqueueResult {
  if (!result) throw new QueueError('STORE_FAILED', 'The store gave no outcome for a job.')
  return result
}

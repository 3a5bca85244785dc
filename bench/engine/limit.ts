/**
 * The SQLite limit: the same work with prepared statements on one table and many operations per transaction.
 * As in the queue, jobs have unique public ids and are completed by id.
 */
import { uuidv7 } from 'uuidv7'
import { RESULT_TEXT } from './callers.ts'
import { type Claimed, openLimitStatements } from './limit-statements.ts'

const LEASE_MS = 30_000

export interface Limit {
  /** Ids are generated beforehand, so that only the database is measured. */
  makeIds(jobs: number): readonly string[]
  enqueue(type: string, payload: string, ids: readonly string[], batch: number): void
  /** Claims and completes all jobs, `batch` at a time. */
  drain(type: string, jobs: number, batch: number): void
  /** Alternating batches of enqueues, claims and completes, as from callers in lockstep. */
  live(type: string, payload: string, ids: readonly string[], batch: number): void
  close(): void
}

export function openLimit(file: string): Limit {
  const { begin, commit, insert, heads, take, complete, close } = openLimitStatements(file)

  function enqueueBatch(type: string, payload: string, ids: readonly string[]): void {
    begin.run()
    const now = Date.now()
    for (const id of ids) insert.run(id, type, payload, now)
    commit.run()
  }

  function claimBatch(type: string, jobs: number): readonly Claimed[] {
    begin.run()
    const leaseUntil = Date.now() + LEASE_MS
    const claimed = heads.all(type, jobs)
    for (const { seq } of claimed) take.run(leaseUntil, 'worker', seq)
    commit.run()
    return claimed
  }

  function completeBatch(jobs: readonly Claimed[]): void {
    begin.run()
    for (const { id, version } of jobs) complete.run(RESULT_TEXT, id, version)
    commit.run()
  }

  return {
    makeIds: (jobs) => Array.from({ length: jobs }, () => uuidv7()),
    enqueue(type, payload, ids, batch) {
      for (const part of chunks(ids, batch)) enqueueBatch(type, payload, part)
    },
    drain(type, jobs, batch) {
      for (let left = jobs; left > 0; left -= batch) completeBatch(claimBatch(type, Math.min(left, batch)))
    },
    live(type, payload, ids, batch) {
      for (const part of chunks(ids, batch)) {
        enqueueBatch(type, payload, part)
        const claimed = claimBatch(type, part.length)
        if (claimed.length !== part.length) throw new Error('The limit lost a job; the measurement is invalid.')
        completeBatch(claimed)
      }
    },
    close,
  }
}

function* chunks<T>(items: readonly T[], size: number): Generator<readonly T[]> {
  for (let from = 0; from < items.length; from += size) yield items.slice(from, from + size)
}

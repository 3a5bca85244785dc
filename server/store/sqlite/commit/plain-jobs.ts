/** New jobs without options, which most jobs are: gathered, and written several per statement. */
import type { EnqueueResult } from '../../../../shared/job.ts'
import type { Status } from '../../../../shared/status.ts'
import type { NewJob } from '../../ops.ts'
import { columnsOf, type RowOf } from '../../rows/tables.ts'
import type { Client } from '../connection/open.ts'

/** Rows of one statement: 5.1 µs a job with its payload one by one, 4.0 with 8 rows, 3.7 with 16. */
const ROWS = 8

const STORED = columnsOf('jobs', ['seq', 'id', 'status'])

/** The caller has the result already; a job that was stored before gets the status that it has. */
export interface PlainJob {
  readonly job: NewJob
  readonly status: Status
  readonly runAt: number
  readonly result: { -readonly [Field in keyof EnqueueResult]: EnqueueResult[Field] }
}

export class PlainJobs {
  private readonly onStored: (job: NewJob, status: Status) => void
  private readonly insertOne
  private readonly insertMany
  private readonly insertBody
  private readonly insertBodies
  private readonly select
  private waiting: PlainJob[] = []

  /** `onStored` is called for each job that did not exist. */
  constructor(client: Client, onStored: (job: NewJob, status: Status) => void) {
    this.onStored = onStored
    this.insertOne = client.prepare(insertJobs(1))
    this.insertMany = client.prepare<unknown[]>(insertJobs(ROWS))
    this.insertBody = client.prepare(insertBodies(1))
    this.insertBodies = client.prepare<unknown[]>(insertBodies(ROWS))
    this.select = client.prepare<[id: string], RowOf<typeof STORED>>(
      `SELECT ${STORED.list} FROM main.millrace_jobs WHERE id = ?`,
    )
  }

  add(plain: PlainJob): void {
    this.waiting.push(plain)
  }

  flush(now: number): void {
    if (this.waiting.length === 0) return
    const jobs = this.waiting
    this.waiting = []
    let from = 0
    for (; from + ROWS <= jobs.length; from += ROWS) this.storeMany(jobs.slice(from, from + ROWS), now)
    for (const plain of jobs.slice(from)) this.storeOne(plain, now)
  }

  /** After a rollback of the operations that added the waiting jobs. */
  forget(): void {
    this.waiting = []
  }

  private storeMany(jobs: readonly PlainJob[], now: number): void {
    const values: unknown[] = []
    for (const { job, status, runAt } of jobs) {
      values.push(job.id, job.type, status, job.priority, runAt, job.face, now, now)
    }
    const { changes, lastInsertRowid } = this.insertMany.run(values)
    if (changes < jobs.length) {
      for (const plain of jobs) this.completeRow(plain)
      return
    }
    const bodies: unknown[] = []
    let seq = Number(lastInsertRowid) - jobs.length
    for (const { job } of jobs) bodies.push(++seq, job.payload)
    this.insertBodies.run(bodies)
    for (const { job, status } of jobs) this.onStored(job, status)
  }

  private storeOne(plain: PlainJob, now: number): void {
    const { job, status, runAt } = plain
    const { changes, lastInsertRowid } = this.insertOne.run(
      ...[job.id, job.type, status, job.priority, runAt, job.face, now, now],
    )
    if (changes === 0) {
      this.completeRow(plain)
      return
    }
    this.insertBody.run(lastInsertRowid, job.payload)
    this.onStored(job, status)
  }

  /** The commit was repeated because its first response was lost: a job that exists already has a payload. */
  private completeRow({ job, status, result }: PlainJob): void {
    const stored = this.select.get(job.id)
    if (!stored) throw new Error(`Job ${job.id} was neither inserted nor found.`)
    if (this.insertBody.run(stored.seq, job.payload).changes === 1) this.onStored(job, status)
    else result.status = stored.status
  }
}

// `main.`: the connection may belong to the application, with TEMP tables of the same names.

function insertJobs(rows: number): string {
  return `INSERT INTO main.millrace_jobs (id, type, status, priority, run_at, face, created_at, updated_at)
    VALUES ${repeated('(?, ?, ?, ?, ?, ?, ?, ?)', rows)} ON CONFLICT (id) DO NOTHING`
}

function insertBodies(rows: number): string {
  return `INSERT INTO main.millrace_job_bodies (seq, payload) VALUES ${repeated('(?, ?)', rows)} ON CONFLICT (seq) DO NOTHING`
}

function repeated(row: string, rows: number): string {
  return Array.from({ length: rows }, () => row).join(', ')
}

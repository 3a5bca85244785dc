/** Inserts the new jobs of a commit with one statement; a deduplication key is stored once. */
import type { EnqueueResult } from '../../../../shared/job.ts'
import type { NewJob, OpOf } from '../../ops.ts'
import { columnsOf, type Row, type RowOf } from '../../rows/tables.ts'
import { instantOr } from '../connection/clock.ts'
import { columns, type Statements } from '../connection/session.ts'
import type { Ledger } from './ledger.ts'

/** Must imply the condition of the unique index millrace_jobs_dedupe, or PostgreSQL does not use it. */
export function holdsKey(alias: string): string {
  return `${alias}.dedupe_key IS NOT NULL AND (${alias}.dedupe_until = 'removed' OR ${alias}.finished_at IS NULL)`
}

/** The holder of a key may finish between the conflicting insert and the lookup: then the key is free again. */
const TRIES = 5

const EXISTING = columnsOf('jobs', ['id', 'status', 'type', 'dedupeKey'])
type Existing = RowOf<typeof EXISTING>

export class Insert {
  private readonly session: Statements
  private readonly ledger: Ledger
  private retried = false

  constructor(session: Statements, ledger: Ledger) {
    this.session = session
    this.ledger = ledger
  }

  /** At least one job needed a second try. */
  get hasRetried(): boolean {
    return this.retried
  }

  /** One list of results per operation. Operations with a type of another kind are refused before. */
  async enqueue(ops: readonly OpOf<'enqueue'>[]): Promise<readonly (readonly EnqueueResult[])[]> {
    const results = new Map<NewJob, EnqueueResult>()
    /** The first job of each key in this commit; the others with that key are duplicates of it. */
    const firstOf = new Map<string, NewJob>()
    const duplicates = new Map<NewJob, NewJob>()
    let open: NewJob[] = []
    for (const job of ops.flatMap(({ jobs }) => jobs)) {
      const key = job.dedupeKey === null ? null : `${job.type}\n${job.dedupeKey}`
      const first = key === null ? undefined : firstOf.get(key)
      if (first) duplicates.set(job, first)
      else {
        if (key !== null) firstOf.set(key, job)
        open.push(job)
      }
    }
    for (let tries = 0; open.length > 0; tries++) {
      if (tries === TRIES) throw new Error('A deduplication key was taken and freed again in every try.')
      open = await this.insert(open, results)
      if (open.length > 0) this.retried = true
    }
    for (const [job, first] of duplicates) {
      const result = results.get(first)
      if (result) results.set(job, { ...result, deduplicated: result.id !== job.id })
    }
    return ops.map(({ jobs }) => jobs.map((job) => resultOf(results, job)))
  }

  /** Returns the jobs that must be tried again. */
  private async insert(jobs: readonly NewJob[], results: Map<NewJob, EnqueueResult>): Promise<NewJob[]> {
    const inserted = new Map((await this.write(jobs)).map(({ id, status }) => [id, status]))
    const conflicting: NewJob[] = []
    for (const job of jobs) {
      const status = inserted.get(job.id)
      if (status === undefined) {
        conflicting.push(job)
        continue
      }
      this.ledger.record({ id: job.id, type: job.type, from: null, to: status })
      results.set(job, { id: job.id, status, deduplicated: false })
    }
    if (conflicting.length === 0) return []
    const existing = await this.findExisting(conflicting)
    return conflicting.filter((job) => {
      const found = existing.find(({ id }) => id === job.id) ?? existing.find((holder) => holds(holder, job))
      if (found) results.set(job, { id: found.id, status: found.status, deduplicated: found.id !== job.id })
      return !found
    })
  }

  /** A job without an instant to run at runs `delay_ms` after the commit. */
  private write(jobs: readonly NewJob[]): Promise<readonly Row<'jobs', 'id' | 'status'>[]> {
    const { schema, instant } = this.session
    return this.session.rows<Row<'jobs', 'id' | 'status'>>(
      'insert',
      `WITH given AS (
         SELECT g.*, coalesce(g.run_at, c.now + g.delay_ms) AS first_run_at, c.now
         FROM (SELECT ${instantOr('$16')} AS now) AS c, unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[],
           $6::bigint[], $7::text[], $8::text[], $9::bigint[], $10::text[], $11::text[], $12::text[], $13::text[], $14::bigint[],
           $15::text[], $17::text[], $18::text[])
           WITH ORDINALITY AS g (id, type, delay_ms, priority, max_attempts, run_at, dedupe_key, dedupe_until, timeout_ms,
             backoff, face, traceparent, group_name, expires_at, payload, group_key, tick, place)
       ), stored AS (
         INSERT INTO ${schema}millrace_jobs (id, type, status, priority, max_attempts, run_at, dedupe_key, dedupe_until, timeout_ms,
           backoff, face, traceparent, group_name, group_key, expires_at, tick, created_at, updated_at)
         SELECT id, type, CASE WHEN first_run_at > now THEN 'scheduled' ELSE 'pending' END, priority, max_attempts, first_run_at,
           dedupe_key, dedupe_until, timeout_ms, backoff, face, traceparent, group_name, group_key, expires_at, tick, now, now
         FROM given ORDER BY place
         ON CONFLICT DO NOTHING RETURNING seq, id, status
       ), bodies AS (
         INSERT INTO ${schema}millrace_job_bodies (seq, payload) SELECT stored.seq, given.payload FROM stored JOIN given USING (id)
       )
       SELECT id, status FROM stored`,
      [
        ...columns(jobs, (job) => [
          ...[job.id, job.type, job.delayMs ?? 0, job.priority, job.maxAttempts, job.runAt, job.dedupeKey],
          job.dedupeKey === null ? null : job.dedupeUntil,
          job.timeoutMs,
          job.backoff === null ? null : JSON.stringify(job.backoff),
          ...[job.face, job.traceparent, job.groupName, job.expiresAt, job.payload],
        ]),
        instant,
        jobs.map(({ groupKey }) => groupKey),
        jobs.map(({ tick }) => (tick === undefined ? null : JSON.stringify(tick))),
      ],
    )
  }

  /** The jobs with the same id (the commit was repeated) or the same key. */
  private findExisting(conflicting: readonly NewJob[]): Promise<readonly Existing[]> {
    const { schema } = this.session
    return this.session.rows<Existing>(
      'holders',
      `SELECT ${EXISTING.list} FROM ${schema}millrace_jobs WHERE id = ANY($1::text[])
       UNION ALL
       SELECT ${EXISTING.of('j')} FROM unnest($2::text[], $3::text[]) AS k (type, dedupe_key)
       JOIN ${schema}millrace_jobs j ON j.type = k.type AND j.dedupe_key = k.dedupe_key AND ${holdsKey('j')}`,
      [conflicting.map(({ id }) => id), ...columns(conflicting, ({ type, dedupeKey }) => [type, dedupeKey])],
    )
  }
}

function holds(holder: Existing, job: NewJob): boolean {
  return job.dedupeKey !== null && holder.type === job.type && holder.dedupeKey === job.dedupeKey
}

function resultOf(results: ReadonlyMap<NewJob, EnqueueResult>, job: NewJob): EnqueueResult {
  const result = results.get(job)
  if (!result) throw new Error(`Job ${job.id} was neither inserted nor found.`)
  return result
}

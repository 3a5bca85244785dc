/** Stores new jobs: all of a commit in one statement, and the promise that a key is there once. */
import type { EnqueueResult } from '../../../../shared/job.ts'
import type { Status } from '../../../../shared/status.ts'
import type { NewJob, OpOf } from '../../ops.ts'
import { columns, type Statements } from '../connection/session.ts'
import type { Ledger } from './ledger.ts'

/** The condition of the unique index jobs_dedupe, word for word, so that PostgreSQL uses it. */
export function holdsKey(alias: string): string {
  return `${alias}.dedupe_key IS NOT NULL AND (${alias}.dedupe_until = 'removed' OR ${alias}.finished_at IS NULL)`
}

/** A key's holder may finish between the insert that met it and the look for it: then the key is free again. */
const TRIES = 5

interface Planned {
  readonly job: NewJob
  readonly status: Status
  readonly runAt: number
}

interface Stored {
  readonly id: string
  readonly status: Status
  readonly type: string
  readonly dedupeKey: string | null
}

export class Insert {
  private readonly session: Statements
  private readonly ledger: Ledger

  constructor(session: Statements, ledger: Ledger) {
    this.session = session
    this.ledger = ledger
  }

  /** One answer per operation, all or none of its jobs; operations whose type is of another kind are refused before. */
  async enqueue(ops: readonly OpOf<'enqueue'>[]): Promise<readonly (readonly EnqueueResult[])[]> {
    const { now } = this.session
    const answers = new Map<NewJob, EnqueueResult>()
    /** Within one commit the first of a key is there before the second asks. */
    const firstOf = new Map<string, NewJob>()
    const twins = new Map<NewJob, NewJob>()
    let open: Planned[] = []
    for (const job of ops.flatMap(({ jobs }) => jobs)) {
      const key = job.dedupeKey === null ? null : `${job.type}\n${job.dedupeKey}`
      const first = key === null ? undefined : firstOf.get(key)
      if (first) twins.set(job, first)
      else {
        if (key !== null) firstOf.set(key, job)
        const runAt = job.runAt ?? now + (job.delayMs ?? 0)
        open.push({ job, runAt, status: runAt > now ? 'scheduled' : 'pending' })
      }
    }
    for (let tries = 0; open.length > 0; tries++) {
      if (tries === TRIES) throw new Error('A key was taken and free again, over and over.')
      open = await this.insert(open, answers)
    }
    for (const [job, first] of twins) {
      const answer = answers.get(first)
      if (answer) answers.set(job, { ...answer, deduplicated: answer.id !== job.id })
    }
    return ops.map(({ jobs }) => jobs.map((job) => answerOf(answers, job)))
  }

  /** Gives back what must be tried again. */
  private async insert(planned: readonly Planned[], answers: Map<NewJob, EnqueueResult>): Promise<Planned[]> {
    const inserted = new Set(await this.write(planned))
    const met = planned.filter(({ job }) => !inserted.has(job.id))
    for (const { job, status } of planned) {
      if (!inserted.has(job.id)) continue
      this.ledger.record({ id: job.id, type: job.type, from: null, to: status })
      answers.set(job, { id: job.id, status, deduplicated: false })
    }
    if (met.length === 0) return []
    const stored = await this.stored(met)
    return met.filter(({ job }) => {
      const found = stored.find((one) => one.id === job.id) ?? stored.find((one) => holds(one, job))
      if (found) answers.set(job, { id: found.id, status: found.status, deduplicated: found.id !== job.id })
      return !found
    })
  }

  private async write(planned: readonly Planned[]): Promise<readonly string[]> {
    const { schema } = this.session
    const rows = await this.session.rows<{ id: string }>(
      'insert',
      `WITH given AS (
         SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[], $7::text[],
           $8::text[], $9::bigint[], $10::text[], $11::text[], $12::text[], $13::text[], $14::bigint[], $15::text[])
           WITH ORDINALITY AS g (id, type, status, priority, max_attempts, run_at, dedupe_key, dedupe_until, timeout_ms,
             backoff, face, traceparent, concurrency_key, expires_at, payload, place)
       ), stored AS (
         INSERT INTO ${schema}millrace_jobs (id, type, status, priority, max_attempts, run_at, dedupe_key, dedupe_until, timeout_ms,
           backoff, face, traceparent, concurrency_key, expires_at, created_at, updated_at)
         SELECT id, type, status, priority, max_attempts, run_at, dedupe_key, dedupe_until, timeout_ms, backoff,
           face, traceparent, concurrency_key, expires_at, $16, $16 FROM given ORDER BY place
         ON CONFLICT DO NOTHING RETURNING seq, id
       ), bodies AS (
         INSERT INTO ${schema}millrace_job_bodies (seq, payload) SELECT stored.seq, given.payload FROM stored JOIN given USING (id)
       )
       SELECT id FROM stored`,
      [
        ...columns(planned, ({ job, status, runAt }) => [
          ...[job.id, job.type, status, job.priority, job.maxAttempts, runAt, job.dedupeKey],
          job.dedupeKey === null ? null : job.dedupeUntil,
          job.timeoutMs,
          job.backoff === null ? null : JSON.stringify(job.backoff),
          ...[job.face, job.traceparent, job.concurrencyKey, job.expiresAt, job.payload],
        ]),
        this.session.now,
      ],
    )
    return rows.map(({ id }) => id)
  }

  /** Those with the same id (the same commit came twice) or the same key. */
  private stored(met: readonly Planned[]): Promise<readonly Stored[]> {
    const { schema } = this.session
    return this.session.rows<Stored>(
      'holders',
      `SELECT id, status, type, dedupe_key AS "dedupeKey" FROM ${schema}millrace_jobs WHERE id = ANY($1::text[])
       UNION ALL
       SELECT j.id, j.status, j.type, j.dedupe_key FROM unnest($2::text[], $3::text[]) AS k (type, dedupe_key)
       JOIN ${schema}millrace_jobs j ON j.type = k.type AND j.dedupe_key = k.dedupe_key AND ${holdsKey('j')}`,
      [met.map(({ job }) => job.id), ...columns(met, ({ job }) => [job.type, job.dedupeKey])],
    )
  }
}

function holds(stored: Stored, job: NewJob): boolean {
  return job.dedupeKey !== null && stored.type === job.type && stored.dedupeKey === job.dedupeKey
}

function answerOf(answers: ReadonlyMap<NewJob, EnqueueResult>, job: NewJob): EnqueueResult {
  const answer = answers.get(job)
  if (!answer) throw new Error(`Job ${job.id} was neither inserted nor found.`)
  return answer
}

/** Inserts the new jobs of a commit with one statement; a deduplication key is stored once. */
import type { EnqueueResult } from '../../../../shared/job.ts'
import type { Status } from '../../../../shared/status.ts'
import type { JobGroup } from '../../decisions/group-of-job.ts'
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

/** Where a new job begins. */
export interface Placement {
  /** null: the job has no key. */
  readonly group: JobGroup | null
  /** null: pending if it is due. */
  readonly status: Status | null
}

export const UNGROUPED: Placement = { group: null, status: null }

/** Stores the jobs that have keys, in the order of the others. */
export interface Placing {
  store(jobs: readonly NewJob[], batch: InsertBatch): Promise<void>
  inserted(job: NewJob, seq: number, status: Status): void
}

/** Jobs to insert together. */
export interface InsertBatch {
  add(job: NewJob, placement: Placement): void
  /** Inserts what was added. */
  store(): Promise<void>
  /** The job that was stored with this id or deduplication key. */
  existing(job: NewJob): Promise<EnqueueResult | null>
  /** The job is not stored: another one stands for it. */
  answer(job: NewJob, result: EnqueueResult): void
}

export class Insert {
  private readonly session: Statements
  private readonly ledger: Ledger
  private readonly placing: Placing | null
  private retried = false

  /** `placing`: for jobs with keys. Without it, none has one. */
  constructor(session: Statements, ledger: Ledger, placing: Placing | null = null) {
    this.session = session
    this.ledger = ledger
    this.placing = placing
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
    const open: NewJob[] = []
    for (const job of ops.flatMap(({ jobs }) => jobs)) {
      const key = job.dedupeKey === null ? null : `${job.type}\n${job.dedupeKey}`
      const first = key === null ? undefined : firstOf.get(key)
      if (first) duplicates.set(job, first)
      else {
        if (key !== null) firstOf.set(key, job)
        open.push(job)
      }
    }
    if (this.placing) await this.placing.store(open, this.batch(results))
    else await this.store(new Map(open.map((job) => [job, UNGROUPED])), results)
    for (const [job, first] of duplicates) {
      const result = results.get(first)
      if (result) results.set(job, { ...result, deduplicated: result.id !== job.id })
    }
    return ops.map(({ jobs }) => jobs.map((job) => resultOf(results, job)))
  }

  private batch(results: Map<NewJob, EnqueueResult>): InsertBatch {
    const placements = new Map<NewJob, Placement>()
    return {
      add: (job, placement) => placements.set(job, placement),
      store: async () => {
        const batch = new Map(placements)
        placements.clear()
        await this.store(batch, results)
      },
      existing: async (job) => existingFor(job, await this.findExisting([job])),
      answer: (job, result) => results.set(job, result),
    }
  }

  private async store(jobs: ReadonlyMap<NewJob, Placement>, results: Map<NewJob, EnqueueResult>): Promise<void> {
    let open = [...jobs.keys()]
    for (let tries = 0; open.length > 0; tries++) {
      if (tries === TRIES) throw new Error('A deduplication key was taken and freed again in every try.')
      open = await this.insert(open, jobs, results)
      if (open.length > 0) this.retried = true
    }
  }

  /** Returns the jobs that must be tried again. */
  private async insert(
    jobs: readonly NewJob[],
    placements: ReadonlyMap<NewJob, Placement>,
    results: Map<NewJob, EnqueueResult>,
  ): Promise<NewJob[]> {
    const stored = await this.write(jobs, (job) => placements.get(job) ?? UNGROUPED)
    const inserted = new Map(stored.map((row) => [row.id, row]))
    const conflicting: NewJob[] = []
    for (const job of jobs) {
      const row = inserted.get(job.id)
      if (row === undefined) {
        conflicting.push(job)
        continue
      }
      const { seq, status } = row
      this.ledger.record({ id: job.id, type: job.type, from: null, to: status })
      this.placing?.inserted(job, seq, status)
      results.set(job, { id: job.id, status, deduplicated: false })
    }
    if (conflicting.length === 0) return []
    const existing = await this.findExisting(conflicting)
    return conflicting.filter((job) => {
      const found = existingFor(job, existing)
      if (found) results.set(job, found)
      return !found
    })
  }

  /** A job without an instant to run at runs `delay_ms` after the commit. */
  private write(
    jobs: readonly NewJob[],
    placementOf: (job: NewJob) => Placement,
  ): Promise<readonly Row<'jobs', 'seq' | 'id' | 'status'>[]> {
    const { schema, instant } = this.session
    return this.session.rows<Row<'jobs', 'seq' | 'id' | 'status'>>(
      'insert',
      `WITH given AS (
         SELECT g.*, coalesce(g.run_at, c.now + g.delay_ms) AS first_run_at, c.now
         FROM (SELECT ${instantOr('$16')} AS now) AS c, unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[],
           $6::bigint[], $7::text[], $8::text[], $9::bigint[], $10::text[], $11::text[], $12::text[], $13::text[], $14::bigint[],
           $15::text[], $17::text[], $18::text[], $19::text[])
           WITH ORDINALITY AS g (id, type, delay_ms, priority, max_attempts, run_at, dedupe_key, dedupe_until, timeout_ms,
             backoff, face, traceparent, group_name, expires_at, payload, group_key, status, tick, place)
       ), stored AS (
         INSERT INTO ${schema}millrace_jobs (id, type, status, priority, max_attempts, run_at, dedupe_key, dedupe_until, timeout_ms,
           backoff, face, traceparent, group_name, group_key, expires_at, tick, created_at, updated_at)
         SELECT id, type, CASE WHEN first_run_at > now THEN 'scheduled' ELSE coalesce(status, 'pending') END, priority, max_attempts, first_run_at,
           dedupe_key, dedupe_until, timeout_ms, backoff, face, traceparent, group_name, group_key, expires_at, tick, now, now
         FROM given ORDER BY place
         ON CONFLICT DO NOTHING RETURNING seq, id, status
       ), bodies AS (
         INSERT INTO ${schema}millrace_job_bodies (seq, payload) SELECT stored.seq, given.payload FROM stored JOIN given USING (id)
       )
       SELECT seq, id, status FROM stored`,
      [
        ...columns(jobs, (job) => [
          ...[job.id, job.type, job.delayMs ?? 0, job.priority, job.maxAttempts, job.runAt, job.dedupeKey],
          job.dedupeKey === null ? null : job.dedupeUntil,
          job.timeoutMs,
          job.backoff === null ? null : JSON.stringify(job.backoff),
          ...[job.face, job.traceparent, placementOf(job).group?.name ?? null, job.expiresAt, job.payload],
        ]),
        instant,
        jobs.map((job) => placementOf(job).group?.key ?? null),
        jobs.map((job) => placementOf(job).status),
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

function existingFor(job: NewJob, existing: readonly Existing[]): EnqueueResult | null {
  const found = existing.find(({ id }) => id === job.id) ?? existing.find((holder) => holds(holder, job))
  return found ? { id: found.id, status: found.status, deduplicated: found.id !== job.id } : null
}

function holds(holder: Existing, job: NewJob): boolean {
  return job.dedupeKey !== null && holder.type === job.type && holder.dedupeKey === job.dedupeKey
}

function resultOf(results: ReadonlyMap<NewJob, EnqueueResult>, job: NewJob): EnqueueResult {
  const result = results.get(job)
  if (!result) throw new Error(`Job ${job.id} was neither inserted nor found.`)
  return result
}

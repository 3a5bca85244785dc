/** One of two databases with the same operations: one without faults, one with lost commits. */
import { Client } from 'pg'
import type { ClaimedRow, NewJob, Op, OpKind, OpOf, OpValue } from '../../../server/store/ops.ts'
import { type Commit, CommitOutcomeUnknown, type Store, StoreBusy } from '../../../server/store/store.ts'
import type { TestClock } from '../../support/test-clock.ts'
import { claim, enqueue, plainJob } from '../conformance/fixtures.ts'

/** By the job's id, because a rolled-back commit leaves a gap in the sequences. */
const DUMP: Readonly<Record<string, string>> = {
  jobs: `SELECT to_jsonb(j) - 'seq' AS row FROM millrace_jobs j ORDER BY id`,
  bodies: `SELECT j.id, b.payload FROM millrace_job_bodies b JOIN millrace_jobs j USING (seq) ORDER BY j.id`,
  results: `SELECT j.id, r.result FROM millrace_job_results r JOIN millrace_jobs j USING (seq) ORDER BY j.id`,
  attempts: `SELECT j.id, to_jsonb(a) - 'seq' AS row FROM millrace_job_attempts a JOIN millrace_jobs j USING (seq) ORDER BY j.id, a.version`,
  logs: `SELECT j.id, l.version, l.stream, l.at, l.line FROM millrace_job_logs l JOIN millrace_jobs j USING (seq) ORDER BY l.id`,
  counts: `SELECT type, status, sum(n)::int AS n FROM millrace_job_counts WHERE type <> '' GROUP BY type, status HAVING sum(n) <> 0 ORDER BY 1, 2`,
  minutes: `SELECT minute, type, sum(enqueued)::int AS enqueued, sum(completed)::int AS completed, sum(failed)::int AS failed,
    sum(dead)::int AS dead FROM millrace_job_minutes GROUP BY minute, type ORDER BY 1, 2`,
  depths: 'SELECT * FROM millrace_job_depths ORDER BY minute, type',
  types: 'SELECT * FROM millrace_job_types ORDER BY name',
  settings: 'SELECT * FROM millrace_settings ORDER BY key',
  workers: 'SELECT * FROM millrace_workers ORDER BY name',
  leadership: 'SELECT * FROM millrace_leadership',
  audit: `SELECT to_jsonb(a) - 'id' AS row FROM millrace_audit a ORDER BY id`,
  tokens: 'SELECT * FROM millrace_tokens ORDER BY id',
  schedules: 'SELECT * FROM millrace_schedules ORDER BY name',
  ticks: 'SELECT * FROM millrace_schedule_ticks ORDER BY schedule, at',
  sessions: 'SELECT * FROM millrace_sessions ORDER BY id',
  keys: `SELECT to_jsonb(g) - 'turn_seq' AS row, (SELECT id FROM millrace_jobs WHERE seq = g.turn_seq) AS turn
    FROM millrace_job_groups g ORDER BY name, key`,
  bulks: `SELECT to_jsonb(b) - 'cursor' AS row FROM millrace_bulk_operations b ORDER BY id`,
  items: `SELECT i.bulk_id, j.id, i.version, i.before, i.status_after FROM millrace_bulk_items i JOIN millrace_jobs j USING (seq) ORDER BY 1, 2`,
}

/** One round trip. */
const WHOLE = `SELECT ${Object.entries(DUMP)
  .map(([name, text]) => `(SELECT json_agg(t) FROM (${text}) AS t) AS ${name}`)
  .join(', ')}`

export class Side {
  readonly store: Store
  readonly clock: TestClock
  private readonly eyes: Client
  private made = 0

  constructor(store: Store, clock: TestClock, url: string) {
    this.store = store
    this.clock = clock
    this.eyes = new Client({ connectionString: url })
    this.eyes.on('error', () => {})
  }

  async open(): Promise<void> {
    await this.eyes.connect()
  }

  async close(): Promise<void> {
    await this.store.close()
    await this.eyes.end()
  }

  /** The same on both sides at the same step. */
  id(): string {
    this.made += 1
    return `018f6f0e-0000-7000-8000-${this.made.toString(16).padStart(12, '0')}`
  }

  job(overrides: Partial<NewJob> = {}): NewJob {
    return plainJob({ id: this.id(), ...overrides })
  }

  async run<K extends OpKind>(op: OpOf<K> & Op): Promise<OpValue<K>> {
    const [outcome] = (await this.store.commit([op])).outcomes
    if (!outcome?.ok) throw outcome?.error ?? new Error('no outcome')
    return outcome.value as OpValue<K>
  }

  async add(overrides: Partial<NewJob> = {}): Promise<string> {
    const job = this.job(overrides)
    await this.run<'enqueue'>(enqueue(job))
    return job.id
  }

  /** A running job with a separate type. */
  async held(type: string): Promise<ClaimedRow> {
    await this.add({ type })
    const { jobs } = await this.run<'claim'>(claim({ types: [type] }))
    if (!jobs[0]) throw new Error('nothing was claimed')
    return jobs[0]
  }

  /** As the engine does: commits the same array until its outcome is known. Also returns how often it was unknown. */
  async insist(ops: readonly Op[], meanwhile?: () => Promise<void>): Promise<{ commit: Commit; unsure: number }> {
    for (let unsure = 0; ; ) {
      try {
        return { commit: await this.store.commit(ops), unsure }
      } catch (error) {
        if (!(error instanceof StoreBusy)) throw error
        if (error instanceof CommitOutcomeUnknown) unsure += 1
        await meanwhile?.()
      }
    }
  }

  async query(text: string): Promise<unknown[]> {
    return (await this.eyes.query(text)).rows
  }

  async dump(): Promise<unknown> {
    return (await this.query(WHOLE))[0]
  }
}

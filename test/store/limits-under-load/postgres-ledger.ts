/** Triggers in PostgreSQL that record every start of a job, and sums compared in one snapshot. */
import { Client } from 'pg'
import { until } from '../../support/engine.ts'
import type { Start } from './starts.ts'

/**
 * The lock serialises transactions from their first start of a job to their end: each sees the starts of all earlier ones. Every
 * statement of such a function sees what is committed by then, and the writes of the same transaction.
 */
const TRIGGER = `
  CREATE TABLE starts (place bigint GENERATED ALWAYS AS IDENTITY, type text, at bigint, running int, most int,
    paused int, rate float8, burst float8, written_at bigint, queue_rate float8, queue_burst float8, queue_written_at bigint);
  CREATE FUNCTION note_starts() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF NOT EXISTS (SELECT 1 FROM new_jobs n JOIN old_jobs o USING (seq)
      WHERE n.status = 'processing' AND o.status <> 'processing') THEN RETURN NULL; END IF;
    PERFORM pg_advisory_xact_lock(1);
    INSERT INTO starts (type, at, running, most, paused, rate, burst, written_at, queue_rate, queue_burst, queue_written_at)
      SELECT n.type, n.started_at, (SELECT count(*) FROM millrace_jobs WHERE status = 'processing' AND type = n.type),
        (t.override::json->>'maxConcurrency')::int,
        (coalesce((t.override::json->>'paused')::boolean, false)
          OR coalesce((SELECT value::boolean FROM millrace_settings WHERE key = 'paused'), false))::int,
        (t.override::json->>'rate')::float8, (t.override::json->>'burst')::float8, t.updated_at,
        (SELECT value::float8 FROM millrace_settings WHERE key = 'rate'),
        (SELECT value::float8 FROM millrace_settings WHERE key = 'burst'),
        (SELECT updated_at FROM millrace_settings WHERE key = 'rate')
      FROM new_jobs n JOIN old_jobs o USING (seq) JOIN millrace_job_types t ON t.name = n.type
      WHERE n.status = 'processing' AND o.status <> 'processing';
    RETURN NULL;
  END $$;
  CREATE TRIGGER note_starts AFTER UPDATE ON millrace_jobs REFERENCING OLD TABLE AS old_jobs NEW TABLE AS new_jobs
    FOR EACH STATEMENT EXECUTE FUNCTION note_starts()`

/** Types and statuses whose counters differ from the rows, in one statement and so one snapshot. */
const WRONG_COUNTS = `SELECT type, status, c.n AS counter, j.n AS rows
  FROM (SELECT type, status, sum(n)::int AS n FROM millrace_job_counts WHERE type <> '' GROUP BY type, status) c
  FULL JOIN (SELECT type, status, count(*)::int AS n FROM millrace_jobs GROUP BY type, status) j USING (type, status)
  WHERE coalesce(c.n, 0) <> coalesce(j.n, 0)`

const MINUTES = `SELECT sum(enqueued)::int AS enqueued, sum(completed)::int AS completed, sum(failed)::int AS failed,
    sum(dead)::int AS dead, (SELECT sum(n::int) FROM millrace_job_minutes, json_array_elements_text(waits::json) AS n)::int AS started,
    (SELECT sum(n::int) FROM millrace_job_minutes, json_array_elements_text(runs::json) AS n)::int AS ended FROM millrace_job_minutes`

/** The same, as far as the rows of jobs know it. */
const WRONG_MINUTES = `SELECT m.*, j.* FROM (${MINUTES}) m, (SELECT count(*)::int AS jobs,
    (count(*) FILTER (WHERE status = 'completed'))::int AS done FROM millrace_jobs) j
  WHERE m.enqueued <> j.jobs OR m.completed <> j.done OR m.ended <> m.completed + m.failed`

const UNFOLDED = `SELECT type, status, count(*)::int AS rows FROM millrace_job_counts GROUP BY type, status HAVING count(*) > 1
  UNION ALL SELECT type, minute::text, count(*)::int FROM millrace_job_minutes GROUP BY type, minute HAVING count(*) > 1`

const CONNECTED = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'millrace%'`

export class PostgresLedger {
  private readonly client: Client

  constructor(url: string) {
    this.client = new Client({ connectionString: url })
  }

  /** The tables must exist. After this the database is for this test only. */
  async begin(): Promise<void> {
    await this.client.connect()
    await this.client.query(TRIGGER)
  }

  async end(): Promise<void> {
    await this.client.end()
  }

  async starts(): Promise<readonly Start[]> {
    const text =
      'SELECT type, at::float8, running, most, paused, rate, burst, written_at::float8 AS "settingsWrittenAt" FROM starts ORDER BY place'
    return (await this.client.query<Start>(text)).rows
  }

  /** The same, by the limit of the whole queue. */
  async queueStarts(): Promise<readonly Start[]> {
    const limit = 'queue_rate AS rate, queue_burst AS burst, queue_written_at::float8 AS "settingsWrittenAt"'
    const text = `SELECT type, at::float8, running, most, paused, ${limit} FROM starts ORDER BY place`
    return (await this.client.query<Start>(text)).rows
  }

  /** Must be empty at every moment. */
  async wrongCounts(): Promise<readonly unknown[]> {
    return [...(await this.client.query(WRONG_COUNTS)).rows, ...(await this.client.query(WRONG_MINUTES)).rows]
  }

  /** Counters with more than one row. */
  async unfolded(): Promise<readonly unknown[]> {
    return (await this.client.query(UNFOLDED)).rows
  }

  /** Deadlocks, which the server counts when a connection has ended. */
  async deadlocks(): Promise<number> {
    await until(async () => (await this.client.query(CONNECTED)).rowCount === 0)
    const text = 'SELECT deadlocks::int AS n FROM pg_stat_database WHERE datname = current_database()'
    return (await this.client.query<{ n: number }>(text)).rows[0]?.n ?? 0
  }

  async minutes(): Promise<unknown> {
    return (await this.client.query(MINUTES)).rows[0]
  }
}

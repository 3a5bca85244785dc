/** A trigger in SQLite that records every start of a job, and sums to compare. */
import BetterSqlite from 'better-sqlite3'
import type { Start } from './starts.ts'

const TRIGGER = `
  CREATE TABLE starts (place INTEGER PRIMARY KEY, type TEXT, at INTEGER, running INTEGER, most INTEGER, paused INTEGER,
    rate REAL, burst REAL, written_at INTEGER, queue_rate REAL, queue_burst REAL, queue_written_at INTEGER);
  CREATE TRIGGER note_starts AFTER UPDATE OF status ON millrace_jobs WHEN NEW.status = 'processing' AND OLD.status <> 'processing'
  BEGIN
    INSERT INTO starts (type, at, running, most, paused, rate, burst, written_at, queue_rate, queue_burst, queue_written_at)
      SELECT NEW.type, NEW.started_at, (SELECT count(*) FROM millrace_jobs WHERE status = 'processing' AND type = NEW.type),
        json_extract(t.override, '$.maxConcurrency'),
        coalesce(json_extract(t.override, '$.paused'), 0)
          OR coalesce((SELECT value = 'true' FROM millrace_settings WHERE key = 'paused'), 0),
        json_extract(t.override, '$.rate'), json_extract(t.override, '$.burst'), t.updated_at,
        (SELECT CAST(value AS REAL) FROM millrace_settings WHERE key = 'rate'),
        (SELECT CAST(value AS REAL) FROM millrace_settings WHERE key = 'burst'),
        (SELECT updated_at FROM millrace_settings WHERE key = 'rate')
      FROM millrace_job_types t WHERE t.name = NEW.type;
  END`

const WRONG_COUNTS = `SELECT * FROM (
    SELECT type, status, sum(n) AS n FROM millrace_job_counts GROUP BY type, status
  ) c FULL JOIN (SELECT type, status, count(*) AS n FROM millrace_jobs GROUP BY type, status) j USING (type, status)
  WHERE coalesce(c.n, 0) <> coalesce(j.n, 0)`

const MINUTES = `SELECT sum(enqueued) AS enqueued, sum(completed) AS completed, sum(failed) AS failed, sum(dead) AS dead,
    (SELECT sum(w.value) FROM millrace_job_minutes, json_each(waits) w) AS started,
    (SELECT sum(r.value) FROM millrace_job_minutes, json_each(runs) r) AS ended FROM millrace_job_minutes`

export class SqliteLedger {
  private readonly client: BetterSqlite.Database

  /** The tables must exist. */
  constructor(file: string) {
    this.client = new BetterSqlite(file)
    this.client.exec(TRIGGER)
  }

  end(): void {
    this.client.close()
  }

  starts(): readonly Start[] {
    const text =
      'SELECT type, at, running, most, paused, rate, burst, written_at AS "settingsWrittenAt" FROM starts ORDER BY place'
    return this.client.prepare<[], Start>(text).all()
  }

  /** The same, by the limit of the whole queue. */
  queueStarts(): readonly Start[] {
    const limit = 'queue_rate AS rate, queue_burst AS burst, queue_written_at AS "settingsWrittenAt"'
    const text = `SELECT type, at, running, most, paused, ${limit} FROM starts ORDER BY place`
    return this.client.prepare<[], Start>(text).all()
  }

  /** Must be empty at every moment. */
  wrongCounts(): readonly unknown[] {
    return this.client.prepare(WRONG_COUNTS).all()
  }

  minutes(): unknown {
    return this.client.prepare(MINUTES).get()
  }
}

/** The table and the parts of statements of the PostgreSQL baselines: one lean table with unique ids and a claim index. */

/** Same autovacuum settings as the job table of Millrace; otherwise claims scan many dead rows. */
export const TABLE = `
  CREATE TABLE jobs (
    seq bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY, id text NOT NULL UNIQUE, type text NOT NULL, payload text NOT NULL,
    status text NOT NULL, priority integer NOT NULL, run_at bigint NOT NULL, attempts integer NOT NULL,
    version bigint NOT NULL, lease_until bigint, worker text, result text)
    WITH (autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0.01);
  CREATE INDEX jobs_claim ON jobs (type, priority DESC, run_at, seq) WHERE status = 'pending'`

/** `$1` to `$3`: type, end of the lease, worker. */
export const TAKE = `UPDATE jobs SET status = 'processing', attempts = attempts + 1, version = version + 1, lease_until = $2, worker = $3`
export const HEADS = `SELECT seq FROM jobs WHERE type = $1 AND status = 'pending' ORDER BY priority DESC, run_at, seq`
export const FINISH = `UPDATE jobs SET status = 'completed', lease_until = NULL`

/** Questions about the limits of keys, in SQL that both databases understand. */

const WINDOW_MS = 1_000

/** Keys with more jobs than their limit, and keys whose counts differ from their jobs, in one snapshot. */
export const WRONG = `WITH rules (name, places, most) AS
    (VALUES ('limited', 2, 2), ('rated', 1000000, 1), ('ordered', 1, 1), ('narrow', 3, 1)),
  jobs AS (SELECT group_name AS name, group_key AS key, count(*) FILTER (WHERE status = 'pending') AS pending,
      count(*) FILTER (WHERE status = 'processing') AS processing, count(*) FILTER (WHERE status = 'blocked') AS blocked
    FROM millrace_jobs WHERE group_key IS NOT NULL AND finished_at IS NULL GROUP BY 1, 2)
  SELECT name, key, g.pending, g.processing, g.blocked, coalesce(j.pending, 0) AS "realPending",
    coalesce(j.processing, 0) AS "realProcessing", coalesce(j.blocked, 0) AS "realBlocked"
  FROM millrace_job_groups g JOIN rules r USING (name) LEFT JOIN jobs j USING (name, key)
  WHERE g.pending <> coalesce(j.pending, 0) OR g.processing <> coalesce(j.processing, 0) OR g.blocked <> coalesce(j.blocked, 0)
    OR g.pending + g.processing > r.places OR g.pending > r.most`

const STARTS = `SELECT group_key, started_at AS at FROM millrace_jobs WHERE group_name = 'rated' AND started_at IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM millrace_job_attempts a WHERE a.seq = millrace_jobs.seq AND a.version = millrace_jobs.version)
  UNION ALL
  SELECT group_key, a.started_at FROM millrace_job_attempts a JOIN millrace_jobs j USING (seq) WHERE group_name = 'rated'`

/** More starts of a key within a second than its rate allows. Instants are rounded down, so one more may fall into the window. */
export const TOO_FAST = `WITH starts AS (${STARTS})
  SELECT group_key, at, n FROM (SELECT group_key, at,
    count(*) OVER (PARTITION BY group_key ORDER BY at RANGE BETWEEN CURRENT ROW AND ${WINDOW_MS - 1} FOLLOWING) AS n FROM starts) AS windows
  WHERE n > 21`

/** Starts of a key that follow each other faster than its rate. Only for a clock that is read while writers are excluded. */
export const TOO_CLOSE = `WITH starts AS (${STARTS})
  SELECT group_key, at, gap FROM (SELECT group_key, at,
    at - lag(at) OVER (PARTITION BY group_key ORDER BY at) AS gap FROM starts) AS gaps
  WHERE gap < 49`

/**
 * Keys that had more running jobs at some instant than their limit, by the recorded starts and ends alone. Of two at the same instant
 * the end counts first. Only for a clock that is read while writers are excluded.
 */
export const OVERLAPPING = `WITH rules (name, most) AS (VALUES ('limited', 2), ('ordered', 1), ('narrow', 3)),
  runs AS (SELECT group_name AS name, group_key AS key, a.started_at, a.finished_at
      FROM millrace_job_attempts a JOIN millrace_jobs j USING (seq) WHERE a.finished_at > a.started_at
    UNION ALL SELECT group_name, group_key, started_at, finished_at FROM millrace_jobs j
      WHERE status = 'completed' AND finished_at > started_at
      AND NOT EXISTS (SELECT 1 FROM millrace_job_attempts a WHERE a.seq = j.seq AND a.version = j.version)),
  steps AS (SELECT name, key, started_at AS at, 1 AS step FROM runs UNION ALL SELECT name, key, finished_at, -1 FROM runs),
  levels AS (SELECT name, key, at,
    sum(step) OVER (PARTITION BY name, key ORDER BY at, step ROWS UNBOUNDED PRECEDING) AS running FROM steps)
  SELECT name, key, at, running FROM levels JOIN rules USING (name) WHERE running > most`

/** Keys that still hold a job or a stop. */
export const TAKEN = `SELECT name, key, pending, processing, blocked, stopped_at FROM millrace_job_groups
  WHERE pending + processing + blocked > 0 OR stopped_at IS NOT NULL`

export const UNFINISHED = 'SELECT id, status FROM millrace_jobs WHERE finished_at IS NULL'

/** Jobs that were started, and their attempts. */
export const DONE = `SELECT CAST((SELECT count(*) FROM millrace_jobs WHERE version > 0) AS int) AS jobs,
  CAST((SELECT count(*) FROM millrace_job_attempts) AS int) AS attempts`

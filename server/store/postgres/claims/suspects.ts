/** SQL for jobs with crashes (suspects): pending suspects, lease holders, unconfirmed claims. */
import type { JobGroup } from '../../decisions/group-of-job.ts'
import { type HolderRow, MAX_SUSPECTS, type Suspect } from '../../decisions/isolation.ts'
import type { Session } from '../connection/session.ts'
import { CANDIDATE, type CandidateRow } from './candidates.ts'

/** Must be spelt exactly like the condition of the partial index, or PostgreSQL does not use it. */
const SUSPECT = `crashes > 0 AND face <> 'messages' AND finished_at IS NULL`

/**
 * IN, not two conditions with `=`: those would also match the indexes of pending and of running jobs, and a planner without
 * statistics could choose to read one of these whole.
 */
export const SUSPECTS_EXIST = `EXISTS (SELECT 1 FROM millrace_jobs WHERE ${SUSPECT} AND status IN ('pending', 'processing'))`

/**
 * Held until the end of the commit while there are suspects. When a process claims from two nodes at once, the second node reads the
 * lease holders after the first has committed: one claim gets the suspect, the other gets nothing. The schema in the lock's name
 * separates queues in other schemas of the database.
 */
export async function lockIsolation(session: Session): Promise<void> {
  const text = `SELECT pg_advisory_xact_lock(hashtext('millrace isolation'), hashtext(current_schema()))`
  await session.rows('lock-isolation', text, [])
}

/** The first suspects of each type, locked. Rows that other nodes have locked are skipped. Adds those with keys to `groups`, by seq. */
export async function pendingSuspects(
  session: Session,
  types: readonly string[],
  groups: Map<number, JobGroup>,
): Promise<Suspect[]> {
  const rows = await session.rows<CandidateRow>(
    'suspects',
    `SELECT ${CANDIDATE.of('j')} FROM (
         SELECT DISTINCT type FROM millrace_jobs WHERE ${SUSPECT} AND status = 'pending' AND type = ANY($1::text[])) AS t, LATERAL (
       SELECT ${CANDIDATE.names} FROM millrace_jobs
       WHERE ${SUSPECT} AND status = 'pending' AND type = t.type AND (expires_at IS NULL OR expires_at > $2)
       ORDER BY priority DESC, run_at, seq LIMIT ${MAX_SUSPECTS} FOR UPDATE SKIP LOCKED) AS j`,
    [types, session.now],
  )
  for (const { seq, groupName: name, groupKey: key } of rows) {
    if (name !== null && key !== null) groups.set(seq, { name, key })
  }
  return rows.map(({ seq, type, priority, runAt }) => ({ type, candidate: [seq, priority, runAt] }))
}

/**
 * The lease holders, with the settles of this commit applied. A process with the name of an earlier process holds none of the leases
 * from before it was first seen.
 */
export function leaseHolders(session: Session): Promise<HolderRow[]> {
  return session.rows<HolderRow>(
    'lease-holders',
    `SELECT CASE WHEN j.started_at < w.started_at THEN j.locked_by ELSE coalesce(w.process, j.locked_by) END AS holder,
       bool_or(j.crashes > 0 AND j.face <> 'messages') AS "holdsSuspect"
     FROM millrace_jobs AS j LEFT JOIN millrace_workers AS w ON w.name = j.locked_by WHERE j.status = 'processing' GROUP BY 1`,
    [],
  )
}

/** A claim counts as unconfirmed until the first call of its worker. */
export function countUnconfirmed(session: Session, seq: number): void {
  const text = 'UPDATE millrace_jobs SET unconfirmed_claims = unconfirmed_claims + 1 WHERE seq = $1'
  session.send('unconfirmed', text, [seq], 1)
}

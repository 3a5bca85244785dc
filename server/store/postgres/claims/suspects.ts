/** Jobs with crashes as claims see them: which wait, who holds leases, and how a claim of one is noted. */
import { type HolderRow, MAX_SUSPECTS, type Suspect } from '../../isolation.ts'
import type { Session } from '../connection/session.ts'

/** The condition of the partial index, word for word, so that PostgreSQL uses it. */
const SUSPECT = `crashes > 0 AND face <> 'messages' AND finished_at IS NULL`

export async function suspectsExist(session: Session): Promise<boolean> {
  const [row] = await session.rows<{ found: boolean }>(
    'suspects-exist',
    `SELECT EXISTS (SELECT 1 FROM millrace_jobs WHERE ${SUSPECT} AND status = 'pending')
         OR EXISTS (SELECT 1 FROM millrace_jobs WHERE ${SUSPECT} AND status = 'processing') AS found`,
    [],
  )
  return row?.found ?? false
}

/**
 * Until the end of the commit, while there are suspects: a process that asks two nodes at once is handed a suspect by one of them
 * and nothing by the other, which reads who holds leases after the first has committed. The name keeps queues in other schemas of
 * the database apart.
 */
export async function isolateAlone(session: Session): Promise<void> {
  const text = `SELECT pg_advisory_xact_lock(hashtext('millrace isolation'), hashtext(current_schema()))`
  await session.rows('isolate-alone', text, [])
}

/** The first of each type, locked; rows that others hold are left to them. */
export async function pendingSuspects(session: Session, types: readonly string[]): Promise<Suspect[]> {
  const rows = await session.rows<{ seq: number; type: string; priority: number; runAt: number }>(
    'suspects',
    `SELECT j.seq, j.type, j.priority, j.run_at AS "runAt" FROM (
         SELECT DISTINCT type FROM millrace_jobs WHERE ${SUSPECT} AND status = 'pending' AND type = ANY($1::text[])) AS t, LATERAL (
       SELECT seq, type, priority, run_at FROM millrace_jobs
       WHERE ${SUSPECT} AND status = 'pending' AND type = t.type AND (expires_at IS NULL OR expires_at > $2)
       ORDER BY priority DESC, run_at, seq LIMIT ${MAX_SUSPECTS} FOR UPDATE SKIP LOCKED) AS j`,
    [types, session.now],
  )
  return rows.map(({ seq, type, priority, runAt }) => ({ type, head: [seq, priority, runAt] }))
}

/**
 * Who holds leases, with everything that this commit has settled. A process that has the name of an earlier one holds none of the
 * leases from before it was first seen.
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

/** Until the first call of its worker. */
export function noteUnconfirmed(session: Session, seq: number): void {
  const text = 'UPDATE millrace_jobs SET unconfirmed_claims = unconfirmed_claims + 1 WHERE seq = $1'
  session.send('unconfirmed', text, [seq], 1)
}

/** SQL of the hand-on: blocked jobs of keys with places become pending, pending ones of keys without become blocked. */
import { endOfLine } from '../../../decisions/group-admission.ts'
import { columnsOf, type RowOf } from '../../../rows/tables.ts'
import { columns, type Session } from '../../connection/session.ts'
import type { KeyRow } from './key-rows.ts'

const HANDED = columnsOf('jobs', ['seq', 'id', 'type', 'priority', 'runAt', 'groupName', 'groupKey'])
export type Handed = RowOf<typeof HANDED>
/** Of a key that is locked. */
export type NextJob = Pick<Handed, 'seq' | 'id' | 'type' | 'priority'>

/**
 * The first blocked jobs of each key, as many as it has places. They join the end of the line of their type, so that the keys take
 * turns. Jobs that other transactions have locked are skipped.
 */
export function handOnLine(session: Session, wanted: readonly (readonly [KeyRow, number])[]): Promise<Handed[]> {
  const { now } = session
  return session.rows<Handed>(
    'hand-on',
    `WITH chosen AS MATERIALIZED (
       SELECT j.seq, k.run_at FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[]) AS k (name, key, places, run_at), LATERAL (
         SELECT seq FROM millrace_jobs WHERE group_name = k.name AND group_key = k.key AND status = 'blocked'
         ORDER BY priority DESC, run_at, seq LIMIT k.places FOR UPDATE SKIP LOCKED) AS j)
     UPDATE millrace_jobs AS j SET status = 'pending', run_at = chosen.run_at, updated_at = $5
     FROM chosen WHERE j.seq = ANY(ARRAY(SELECT seq FROM chosen)) AND j.seq = chosen.seq RETURNING ${HANDED.of('j')}`,
    [...columns(wanted, ([row, places]) => [row.name, row.key, places, endOfLine(row.lastRunAt, now)]), now],
  )
}

/** Blocked jobs that this commit has locked. They get their `runAt`. Found by ANY: see takeJobs. */
export function handOnLocked(session: Session, jobs: readonly Handed[]): void {
  session.send(
    'hand-on-locked',
    `UPDATE millrace_jobs AS j SET status = 'pending', run_at = n.run_at, updated_at = $3
     FROM unnest($1::bigint[], $2::bigint[]) AS n (seq, run_at)
     WHERE j.seq = ANY($1::bigint[]) AND j.seq = n.seq`,
    [...columns(jobs, ({ seq, runAt }) => [seq, runAt]), session.now],
    jobs.length,
  )
}

/** Strict order: only the job that has its turn. `blocked`: those of the jobs that wait, whether another transaction holds them or not. */
export async function handOnTurns(
  session: Session,
  rows: readonly KeyRow[],
): Promise<{ readonly handed: readonly Handed[]; readonly blocked: ReadonlySet<number> }> {
  const turns = rows.map(({ current }) => current.turnSeq)
  const [found, handed] = await Promise.all([
    session.rows<Pick<Handed, 'seq'>>(
      'blocked-turns',
      `SELECT seq FROM millrace_jobs WHERE seq = ANY($1::bigint[]) AND status = 'blocked'`,
      [turns],
    ),
    session.rows<Handed>(
      'hand-on-turns',
      `WITH chosen AS MATERIALIZED (
         SELECT seq FROM millrace_jobs WHERE seq = ANY($1::bigint[]) AND status = 'blocked' ORDER BY seq FOR UPDATE SKIP LOCKED)
       UPDATE millrace_jobs SET status = 'pending', run_at = $2, updated_at = $2
       WHERE seq = ANY(ARRAY(SELECT seq FROM chosen)) RETURNING ${HANDED.list}`,
      [turns, session.now],
    ),
  ])
  return { handed, blocked: new Set(found.map(({ seq }) => seq)) }
}

/**
 * Before those that they were handed on before: the hand-on had put them at the end of the line of their type. A job that another
 * transaction is claiming starts.
 */
export function blockPending(session: Session, wanted: readonly (readonly [KeyRow, number])[]): Promise<Handed[]> {
  return session.rows<Handed>(
    'block-pending',
    `WITH chosen AS MATERIALIZED (
       SELECT j.seq FROM unnest($1::text[], $2::text[], $3::bigint[]) AS k (name, key, pending), LATERAL (
         SELECT seq FROM millrace_jobs
         WHERE group_name = k.name AND group_key = k.key AND finished_at IS NULL AND status = 'pending'
         ORDER BY seq LIMIT k.pending FOR UPDATE SKIP LOCKED) AS j)
     UPDATE millrace_jobs SET status = 'blocked', run_at = least(run_at, created_at), updated_at = $4
     WHERE seq = ANY(ARRAY(SELECT seq FROM chosen)) RETURNING ${HANDED.list}`,
    [...columns(wanted, ([{ name, key }, count]) => [name, key, count]), session.now],
  )
}

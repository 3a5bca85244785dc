/** When the next job becomes due or expires, the next key hands on, and the next lease ends. */
import type { ClockTrust } from '../../clock-trust.ts'
import type { DueTimes } from '../../store.ts'
import type { NamedQueryable } from '../connection/open.ts'

/** Must imply the conditions of the partial indexes, or PostgreSQL does not use them. */
export const IS_WAITING = `status IN ('scheduled', 'retrying')`
export const CAN_EXPIRE = `expires_at IS NOT NULL AND finished_at IS NULL AND status <> 'processing'`

/** Not min(): with statistics of a queue that was empty, it reads all entries of the index instead of the first. */
export const NEXT_RUN_AT = `(SELECT run_at FROM millrace_jobs WHERE ${IS_WAITING} ORDER BY run_at LIMIT 1)`
export const NEXT_EXPIRY_AT = `(SELECT expires_at FROM millrace_jobs WHERE ${CAN_EXPIRE} ORDER BY expires_at LIMIT 1)`
/** When the next key hands on without an event. */
export const NEXT_WAKE_AT =
  '(SELECT wake_at FROM millrace_job_groups WHERE wake_at IS NOT NULL ORDER BY wake_at LIMIT 1)'
const LEASE_AT = `SELECT min(lease_until) AS at FROM millrace_jobs WHERE status = 'processing'`

export async function dueTimes(queryable: NamedQueryable, trust: ClockTrust): Promise<DueTimes> {
  const lease = instant(queryable, 'lease-at', LEASE_AT)
  const [promoteAt, leaseAt] = await Promise.all([promoteAtOf(queryable, trust), lease])
  return { promoteAt, leaseAt }
}

/** When the next job becomes due or expires: the first entries of two indexes. */
export function promoteAtOf(queryable: NamedQueryable, trust: ClockTrust): Promise<number | null> {
  // While expiry waits for a trusted clock, its time must not set the timer, which would fire again and again.
  return trust.isSure
    ? instant(queryable, 'promote-at', `SELECT least(${NEXT_RUN_AT}, ${NEXT_WAKE_AT}, ${NEXT_EXPIRY_AT}) AS at`)
    : instant(queryable, 'run-at', `SELECT least(${NEXT_RUN_AT}, ${NEXT_WAKE_AT}) AS at`)
}

async function instant(queryable: NamedQueryable, name: string, text: string): Promise<number | null> {
  const { rows } = await queryable.query<{ readonly at: number | null }>({ name, text })
  return rows[0]?.at ?? null
}

export function earliest(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.min(one, other)
}

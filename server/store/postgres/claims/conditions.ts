/** What the claims of a commit depend on besides their candidates, read by one statement behind these. */
import type { ClockTrust } from '../../clock-trust.ts'
import { MARK_AT, type Mark } from '../commit/commit-outcome.ts'
import { NEXT_EXPIRY_AT, NEXT_RUN_AT, NEXT_WAKE_AT } from '../commit/due-times.ts'
import { clockOr } from '../connection/clock.ts'
import type { Session } from '../connection/session.ts'
import { SUSPECTS_EXIST } from './suspects.ts'

export interface ClaimConditions {
  /** When the next job becomes due or expires, or the next key hands on. */
  readonly promoteAt: number | null
  readonly hasSuspects: boolean
  /** null: nothing is locked or written yet. */
  readonly mark: Mark | null
}

interface ConditionsRow extends Omit<ClaimConditions, 'mark'>, Pick<Mark, 'at' | 'server'> {
  readonly now: number
  readonly id: number | null
}

/** Sets the instant of the session: limits and rates count from the instant after all waits for locks. */
export async function readConditions(session: Session, trust: ClockTrust): Promise<ClaimConditions> {
  const expiryAt = trust.isSure ? `, ${NEXT_EXPIRY_AT}` : ''
  const [row] = await session.rows<ConditionsRow>(
    trust.isSure ? 'claim-conditions' : 'claim-conditions-unsure',
    `SELECT ${clockOr('$1')} AS now, least(${NEXT_RUN_AT}, ${NEXT_WAKE_AT}${expiryAt}) AS "promoteAt",
       ${SUSPECTS_EXIST} AS "hasSuspects", pg_current_xact_id_if_assigned()::text::bigint AS id, ${MARK_AT}`,
    [session.fixedInstant],
  )
  if (!row) throw new Error('PostgreSQL did not return the conditions of the claims.')
  session.beginAt(row.now)
  const { promoteAt, hasSuspects, id, at, server } = row
  return { promoteAt, hasSuspects, mark: id === null ? null : { id, at, server } }
}

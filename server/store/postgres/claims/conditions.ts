/** What the claims of a commit depend on besides their candidates, read by one statement behind these. */
import type { ClockTrust } from '../../clock-trust.ts'
import { NEXT_EXPIRY_AT, NEXT_RUN_AT, NEXT_WAKE_AT } from '../commit/due.ts'
import { clockOr } from '../connection/clock.ts'
import type { Session } from '../connection/session.ts'
import { SUSPECTS_EXIST } from './suspects.ts'

export interface ClaimConditions {
  /** When the next job becomes due or expires, or the next key hands on. */
  readonly promoteAt: number | null
  readonly hasSuspects: boolean
}

/** Sets the instant of the session: limits and rates count from the instant after all waits for locks. */
export async function readConditions(session: Session, trust: ClockTrust): Promise<ClaimConditions> {
  const expiryAt = trust.isSure ? `, ${NEXT_EXPIRY_AT}` : ''
  const [row] = await session.rows<ClaimConditions & { readonly now: number }>(
    trust.isSure ? 'claim-conditions' : 'claim-conditions-unsure',
    `SELECT ${clockOr('$1')} AS now, least(${NEXT_RUN_AT}, ${NEXT_WAKE_AT}${expiryAt}) AS "promoteAt",
       ${SUSPECTS_EXIST} AS "hasSuspects"`,
    [session.fixedInstant],
  )
  if (!row) throw new Error('PostgreSQL did not return the conditions of the claims.')
  session.beginAt(row.now)
  return row
}

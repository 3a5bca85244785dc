/** The conditions of a plain commit, read by one statement at the end of its first round trip. */
import type { ClockTrust } from '../../../clock-trust.ts'
import type { Catalog, Fingerprint } from '../../claims/catalog.ts'
import { SUSPECTS_EXIST } from '../../claims/suspects.ts'
import { clockOr, instantOr } from '../../connection/clock.ts'
import type { Session } from '../../connection/session.ts'
import { MARK_AT, type Mark } from '../commit-outcome.ts'
import { earliest, NEXT_EXPIRY_AT, NEXT_RUN_AT, NEXT_WAKE_AT } from '../due-times.ts'

export interface Conditions extends Pick<Mark, 'at' | 'server'>, Fingerprint {
  readonly now: number
  readonly hasSuspects: boolean
  /** One of the requests has claimed jobs before. */
  readonly isRepeated: boolean
  /** Of jobs, and of keys with blocked jobs. */
  readonly nextRunAt: number | null
  readonly nextExpiryAt: number | null
  /** The id of the transaction; null: it has not written anything. */
  readonly id: number | null
}

/**
 * Runs after the claims, so it sees every change of rules and every crash that could have affected them. Jobs that this transaction
 * claimed are not counted in `isRepeated`. `hasWaited`: limits were locked, and their buckets need the instant after the wait.
 */
export async function readConditions(
  session: Session,
  catalog: Catalog,
  { requestIds, hasWaited }: { readonly requestIds: readonly string[]; readonly hasWaited: boolean },
): Promise<Conditions> {
  const rules = catalog.fingerprint()
  const [row] = await session.rows<Conditions>(
    `conditions${hasWaited ? '-waited' : ''}${rules.name}`,
    `SELECT ${hasWaited ? clockOr('$1') : instantOr('$1')} AS now, ${rules.columns}, ${SUSPECTS_EXIST} AS "hasSuspects",
       EXISTS (SELECT 1 FROM millrace_jobs WHERE claim_request_id = ANY($2::text[])
         AND xmin IS DISTINCT FROM pg_current_xact_id_if_assigned()::xid) AS "isRepeated",
       least(${NEXT_RUN_AT}, ${NEXT_WAKE_AT}) AS "nextRunAt", ${NEXT_EXPIRY_AT} AS "nextExpiryAt", ${MARK_AT},
       pg_current_xact_id_if_assigned()::text::bigint AS id`,
    [session.instant, requestIds],
  )
  if (!row) throw new Error('PostgreSQL did not return the conditions of the commit.')
  return row
}

/** When the next job becomes due or expires. Expiry waits for a trusted clock. */
export function nextPromotion({ nextRunAt, nextExpiryAt }: Conditions, trust: ClockTrust): number | null {
  return earliest(nextRunAt, trust.isSure ? nextExpiryAt : null)
}

/** The parts of one commit that its operations share. */
import type { ClockTrust } from '../../clock-trust.ts'
import type { Reservations } from '../../decisions/reservations.ts'
import type { Catalog } from '../claims/catalog.ts'
import type { Session } from '../connection/session.ts'
import type { AdmissionPass } from './groups/admit-blocked.ts'
import type { Groups } from './groups/groups.ts'
import type { Ledger } from './ledger.ts'
import type { LiveJobs } from './live-jobs.ts'

export interface CommitContext {
  readonly session: Session
  readonly ledger: Ledger
  readonly live: LiveJobs
  readonly groups: Groups
  readonly catalog: Catalog
  readonly reservations: Reservations
  readonly trust: ClockTrust
  readonly pass: AdmissionPass
}

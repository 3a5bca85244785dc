/** All compared systems, in the order of the report. */
import type { AdapterName } from './adapters.ts'
import type { MeasureName } from './measures.ts'
import type { Place, Started } from './servers/started.ts'
import { IN_PROCESS } from './systems/in-process.ts'
import { NETWORK } from './systems/network.ts'
import { POSTGRES } from './systems/postgres.ts'

/** Systems are compared with those of the same kind. */
export type Kind = 'in process' | 'network' | 'PostgreSQL'

export type Role = 'millrace' | 'peer' | 'limit'

export interface System {
  readonly name: string
  readonly label: string
  readonly kind: Kind
  readonly role: Role
  /** An acknowledged job is on disk. */
  readonly isDurable: boolean
  readonly adapter: AdapterName
  readonly version: () => string
  /** For the report. */
  readonly settings: string
  /** Measures that the system has no equivalent for. */
  readonly without?: readonly MeasureName[]
  start(place: Place): Promise<Started>
}

export const SYSTEMS: readonly System[] = [...IN_PROCESS, ...NETWORK, ...POSTGRES]

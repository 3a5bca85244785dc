/** Connection state shown in the header, derived from the event stream, auth and the network. */
import type { AuthState } from '../../session/auth-state.ts'

export type Connection = 'connecting' | 'live' | 'reconnecting' | 'offline' | 'signedOut' | 'forbidden' | 'inactive'

export interface ConnectionInput {
  readonly authState: AuthState
  /** A hidden tab closed its stream on purpose, so a closed stream does not mean that the server is down. */
  readonly isInactive: boolean
  /** The event stream is open. */
  readonly isOpen: boolean
  readonly wasOpen: boolean
  /** Down for longer than the time for "Reconnecting". */
  readonly isLongDown: boolean
  /** `navigator.onLine`; an open stream overrides it. */
  readonly hasNetwork: boolean
}

export function connectionOf(input: ConnectionInput): Connection {
  const { authState, isInactive, isOpen, wasOpen, isLongDown, hasNetwork } = input
  if (authState !== 'allowed') return authState === 'forbidden' ? 'forbidden' : 'signedOut'
  if (isInactive) return 'inactive'
  if (isOpen) return 'live'
  if (isLongDown || !hasNetwork) return 'offline'
  return wasOpen ? 'reconnecting' : 'connecting'
}

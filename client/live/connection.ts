/** The states of the line to the server, from what the subscription and the browser say. */
import type { Door } from '../session/auth-state.ts'

export type Connection = 'connecting' | 'live' | 'reconnecting' | 'offline' | 'refused' | 'shut' | 'resting'

export interface Line {
  readonly door: Door
  /** Nobody looks, and the line is left to others: that it is closed says nothing of the server. */
  readonly isResting: boolean
  /** The subscription is open. */
  readonly isOpen: boolean
  readonly wasOpen: boolean
  /** It has been down for so long that trying again is no longer news. */
  readonly isLongDown: boolean
  /** What the browser believes of its network; an open line knows better. */
  readonly hasNetwork: boolean
}

export function connectionOf({ door, isResting, isOpen, wasOpen, isLongDown, hasNetwork }: Line): Connection {
  if (door !== 'open') return door === 'shut' ? 'shut' : 'refused'
  if (isResting) return 'resting'
  if (isOpen) return 'live'
  if (isLongDown || !hasNetwork) return 'offline'
  return wasOpen ? 'reconnecting' : 'connecting'
}

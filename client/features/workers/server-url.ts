/** The address of this very server, as command lines and clients want it: without a slash at the end. */
import { addressOf } from '../../lib/api.ts'

export function serverUrl(): string {
  return addressOf('.').replace(/\/$/, '')
}

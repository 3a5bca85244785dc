/** URL of this server without a trailing slash, for command lines and clients. */
import { addressOf } from './api.ts'

export function serverUrl(): string {
  return addressOf('.').replace(/\/$/, '')
}

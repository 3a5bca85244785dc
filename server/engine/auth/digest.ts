/** SHA-256 of secrets, as hex: only digests are stored and compared. */
import { createHash, timingSafeEqual } from 'node:crypto'

export function digest(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}

/** Constant-time comparison. */
export function sameDigest(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other))
}

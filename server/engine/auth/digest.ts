/** SHA-256 of a secret, as hex: what is kept of it, and what is compared. */
import { createHash, timingSafeEqual } from 'node:crypto'

export function digest(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}

/** Takes the same time wherever they differ. */
export function sameDigest(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other))
}

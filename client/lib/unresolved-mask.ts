/** Detects masks that an edit left in place of redacted values. */
import { REDACTED } from '../../shared/redaction/redaction.ts'

/** Whether a mask was left in place of a value. Masks that the original itself contains are intended. */
export function hasUnresolvedMask(sent: unknown, original: unknown): boolean {
  if (sent === REDACTED) return original !== REDACTED
  if (typeof sent !== 'object' || sent === null) return false
  return Object.entries(sent).some(([key, item]) => hasUnresolvedMask(item, memberOf(original, key)))
}

function memberOf(value: unknown, key: string): unknown {
  const hasMember = typeof value === 'object' && value !== null && Object.hasOwn(value, key)
  return hasMember ? Reflect.get(value, key) : undefined
}

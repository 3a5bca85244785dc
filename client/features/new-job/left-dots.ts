/** Finds dots that stand for a hidden value, where that value was not put back. */
import { REDACTED } from '../../../shared/redaction/redaction.ts'

/** Texts may have dots of their own, and so may the job that this one was made from: those are meant. */
export function hasLeftDots(sent: unknown, original: unknown): boolean {
  if (sent === REDACTED) return original !== REDACTED
  if (typeof sent !== 'object' || sent === null) return false
  return Object.entries(sent).some(([key, item]) => hasLeftDots(item, itemOf(original, key)))
}

function itemOf(value: unknown, key: string): unknown {
  const hasIt = typeof value === 'object' && value !== null && Object.hasOwn(value, key)
  return hasIt ? Reflect.get(value, key) : undefined
}

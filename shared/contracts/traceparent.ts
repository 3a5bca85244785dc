/** Validates and parses the W3C `traceparent` header. */

const FORM = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const SAMPLED = 1

/** Rejects version ff and all-zero ids. */
export function isTraceparent(text: string): boolean {
  const [, version, traceId, parentId, , more] = FORM.exec(text) ?? []
  if (version === undefined || version === 'ff' || more !== undefined) return false
  return !/^0+$/.test(traceId ?? '') && !/^0+$/.test(parentId ?? '')
}

/** Ignores a malformed header. Reads a later version as far as version 00 goes, as the standard requires. */
export function readTraceparent(header: string | undefined): string | undefined {
  const [, version, traceId, parentId, flags = '', more] = FORM.exec(header ?? '') ?? []
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined
  const sampled = (Number.parseInt(flags, 16) & SAMPLED).toString().padStart(2, '0')
  const read = `00-${traceId}-${parentId}-${version === '00' ? flags : sampled}`
  return isTraceparent(read) ? read : undefined
}

/** The W3C `traceparent`: what of it is valid, and what is made of the header that came with a request. */

const FORM = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const SAMPLED = 1

/** Not the forbidden version, and no id that stands for none. */
export function isTraceparent(text: string): boolean {
  const [, version, traceId, parentId, , more] = FORM.exec(text) ?? []
  if (version === undefined || version === 'ff' || more !== undefined) return false
  return !/^0+$/.test(traceId ?? '') && !/^0+$/.test(parentId ?? '')
}

/** A header that is malformed counts as none; one of a later version is read as far as ours goes, as the standard asks. */
export function readTraceparent(header: string | undefined): string | undefined {
  const [, version, traceId, parentId, flags = '', more] = FORM.exec(header ?? '') ?? []
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined
  const sampled = (Number.parseInt(flags, 16) & SAMPLED).toString().padStart(2, '0')
  const read = `00-${traceId}-${parentId}-${version === '00' ? flags : sampled}`
  return isTraceparent(read) ? read : undefined
}

/** Parameters of statements in PostgreSQL's text format. */

/** null, strings, numbers, booleans and flat arrays of these. */
export function encodeParameter(value: unknown): string | null {
  if (value === null || value === undefined) return null
  return Array.isArray(value) ? arrayLiteral(value) : encodeScalar(value)
}

function arrayLiteral(elements: readonly unknown[]): string {
  let literal = '{'
  let separator = ''
  for (const element of elements) {
    literal += separator
    separator = ','
    if (element === null || element === undefined) literal += 'NULL'
    else if (typeof element === 'string') literal += `"${element.replace(/[\\"]/g, '\\$&')}"`
    else literal += encodeScalar(element)
  }
  return `${literal}}`
}

function encodeScalar(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  throw new TypeError(`A parameter is of type ${typeof value}; only strings, numbers, booleans and arrays are encoded.`)
}

/** Number of rows in a response, for the request log. */

/** Fields of a page that hold its rows. */
const LISTS: readonly string[] = ['jobs', 'groups', 'keys']

export function countRows(result: unknown): number {
  if (Array.isArray(result)) return result.length
  if (typeof result !== 'object' || result === null) return 0
  // A stream counts its rows while it is sent.
  if (Symbol.asyncIterator in result) return 0
  for (const [name, rows] of Object.entries(result)) if (LISTS.includes(name) && Array.isArray(rows)) return rows.length
  return 1
}

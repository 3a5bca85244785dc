/** Number of rows in a response, for the request log. */

export function countRows(result: unknown): number {
  if (Array.isArray(result)) return result.length
  if (typeof result !== 'object' || result === null) return 0
  // A stream counts its rows while it is sent.
  if (Symbol.asyncIterator in result) return 0
  return 'jobs' in result && Array.isArray(result.jobs) ? result.jobs.length : 1
}

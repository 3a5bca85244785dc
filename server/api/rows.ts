/** How many rows an answer carries: the size of a request in the log, without its contents. */

export function countRows(answer: unknown): number {
  if (Array.isArray(answer)) return answer.length
  if (typeof answer !== 'object' || answer === null) return 0
  // A stream counts its rows as they go.
  if (Symbol.asyncIterator in answer) return 0
  return 'jobs' in answer && Array.isArray(answer.jobs) ? answer.jobs.length : 1
}

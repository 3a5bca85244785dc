/** The order of claims: priority, then due time, then age. */

/** A pending job, as far as order is concerned. */
export type Candidate = [seq: number, priority: number, runAt: number]

export function comesBefore(a: Candidate, b: Candidate): boolean {
  if (a[1] !== b[1]) return a[1] > b[1]
  if (a[2] !== b[2]) return a[2] < b[2]
  return a[0] < b[0]
}

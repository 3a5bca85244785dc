/** Time budget of a scan: when to stop, and how many rows to read at once. */

export interface Pace {
  /** Rows for the next window. */
  readonly size: number
  /** Adapts the size to the duration of the window that just ended. */
  lap(): void
  spent(): boolean
}

/** A window of 5 to 20 ms is long enough to be efficient and short enough to stop in time. */
const SHORT_MS = 5
const LONG_MS = 20
const MIN_ROWS = 16
const MAX_ROWS = 20_000

export function createPace(budgetMs: number, firstRows: number): Pace {
  const deadline = performance.now() + budgetMs
  let size = firstRows
  let lapStart = performance.now()
  return {
    get size() {
      return size
    },
    lap() {
      const now = performance.now()
      if (now - lapStart < SHORT_MS) size = Math.min(MAX_ROWS, size * 2)
      if (now - lapStart > LONG_MS) size = Math.max(MIN_ROWS, size >> 2)
      lapStart = now
    },
    spent: () => performance.now() >= deadline,
  }
}

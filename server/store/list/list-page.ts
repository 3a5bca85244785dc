/** Collects a page from the steps of a walk: skips, stops in time, computes the next position. */
import type { ListParams } from '../../../shared/contracts/observe.ts'
import type { Key, NextPosition, Position } from './list-key.ts'
import type { Pace } from './pace.ts'

/** Rows of the first window; later windows adapt. A payload can be a mebibyte, so windows of payloads start small. */
export const FIRST_ROWS = 2_000
export const FIRST_BODIES = 32
/** Matches that one call counts at most. Their keys are held in memory. */
export const COUNT_ROWS = 200_000
/** Characters of bodies on one page. A page with more ends early. */
const PAGE_LENGTH = 4 * 1_048_576

/** One window of a walk. */
export interface Step {
  /** In list order; may be more than needed. */
  readonly matches: readonly Key[]
  /** The last job that was read; null at the end. */
  readonly last: Key | null
}

/** Pages with a number have a fixed length. Pages with a cursor may end early. */
export function maxBodyLength({ page, offset }: Pick<ListParams, 'page' | 'offset'>): number {
  return page === undefined && offset === undefined ? PAGE_LENGTH : Number.POSITIVE_INFINITY
}

export interface Page {
  readonly keys: readonly Key[]
  /** The start of the next page; null at the end. */
  readonly next: NextPosition | null
}

/** The position after the first `shown` jobs of a page. */
export function positionAfter({ keys, next }: Page, shown: number): NextPosition | null {
  const lastKey = keys[shown - 1]
  return shown < keys.length && lastKey ? { key: lastKey, skip: 0 } : next
}

export class PageCollector {
  readonly #skip: number
  readonly #wanted: number
  readonly #pace: Pace
  readonly #found: Key[] = []
  #after: Key | null

  constructor({ key, skip }: Position, limit: number, pace: Pace) {
    this.#after = key
    this.#skip = skip
    this.#wanted = skip + limit
    this.#pace = pace
  }

  /** The job before the next window. */
  get after(): Key | null {
    return this.#after
  }

  /** One more than the page holds: it shows whether there is a next page. */
  get need(): number {
    return this.#wanted + 1 - this.#found.length
  }

  /** Returns the page if this window completes it. */
  take(step: Step): Page | null {
    const found = this.#found
    for (const key of step.matches) found.push(key)
    const keys = found.slice(this.#skip, this.#wanted)
    const lastKey = keys.at(-1)
    if (found.length > this.#wanted && lastKey) return { keys, next: { key: lastKey, skip: 0 } }
    if (step.last === null) return { keys, next: null }
    if (this.#pace.spent()) return { keys, next: { key: step.last, skip: Math.max(0, this.#skip - found.length) } }
    this.#pace.lap()
    this.#after = step.last
    return null
  }
}

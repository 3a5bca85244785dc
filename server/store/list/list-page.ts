/** Puts a page together from the steps of a walk: skips, stops in time, and knows where the next page starts. */
import type { Key, NextPosition, Position } from './list-key.ts'
import type { Pace } from './pace.ts'

/** Rows of the first window; later ones adapt. A payload can be a mebibyte, so reading them starts small. */
export const FIRST_ROWS = 2_000
export const FIRST_BODIES = 32
/** Matches that one call counts at most: their keys are held in memory. */
export const COUNT_ROWS = 200_000
/** Bodies on one page, in characters: beyond, the page ends early. */
export const PAGE_LENGTH = 4 * 1_048_576

/** One window of a walk. */
export interface Step {
  /** In list order; may be more than were needed. */
  readonly matches: readonly Key[]
  /** The last job looked at; null when there is nothing behind it. */
  readonly last: Key | null
}

export interface Page {
  readonly keys: readonly Key[]
  /** Where the next page starts; null at the end. */
  readonly next: NextPosition | null
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

  /** The job behind which the next window starts. */
  get after(): Key | null {
    return this.#after
  }

  /** One more than wanted tells whether there is a next page. */
  get need(): number {
    return this.#wanted + 1 - this.#found.length
  }

  /** The page, when this window completes it. */
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

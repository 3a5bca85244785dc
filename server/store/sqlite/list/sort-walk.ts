/** Sorts jobs by claim order without an index, within the time budget; refuses when it runs out. */
import { compareKeys, type Key, tooManyToSort } from '../../list/list-key.ts'
import type { Walk } from './walk.ts'

export function sortWalk(all: Walk): Walk {
  const compare = compareKeys('claim')
  return (after, pace, need) => {
    let kept: Key[] = []
    let at: Key | null = null
    do {
      const step = all(at, pace, Number.MAX_SAFE_INTEGER)
      for (const key of step.matches) if (after === null || compare(key, after) > 0) kept.push(key)
      if (kept.length > 2 * need) kept = kept.sort(compare).slice(0, need)
      at = step.last
      pace.lap()
      if (at !== null && pace.spent()) throw tooManyToSort()
    } while (at !== null)
    return { matches: kept.sort(compare).slice(0, need), last: null }
  }
}

/** Sorts a large set by claim order, which no index holds: all of it within the time budget, or an honest refusal. */
import { QueueError } from '../../../shared/errors.ts'
import { compareKeys, type Key } from './list-key.ts'
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
      if (at !== null && pace.spent()) throw tooMany()
    } while (at !== null)
    return { matches: kept.sort(compare).slice(0, need), last: null }
  }
}

function tooMany(): QueueError {
  return new QueueError(
    'BAD_INPUT',
    'There are too many jobs to sort by claim order in time; filter by type or status (pending needs no sorting), or sort by newest.',
  )
}

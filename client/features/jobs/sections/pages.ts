/** Page numbers of a section. */
import { limits } from '../../../../shared/limits.ts'

export const PAGE_SIZE = 10
/** The server refuses larger offsets. */
export const LAST_PAGE = Math.floor(limits.offset / PAGE_SIZE) + 1

export interface Pages {
  readonly last: number
  /** More jobs exist than the pages can reach. */
  readonly isCut: boolean
  /** Page numbers to show; null is a gap. */
  readonly shown: readonly (number | null)[]
}

export function pagesOf(count: number, current: number): Pages {
  const all = Math.max(1, Math.ceil(count / PAGE_SIZE))
  const last = Math.min(all, LAST_PAGE)
  return { last, isCut: all > LAST_PAGE, shown: shownOf(Math.min(current, last), last) }
}

/** Always seven entries, so that "Next" stays under the pointer. */
function shownOf(current: number, last: number): readonly (number | null)[] {
  if (last <= 7) return range(1, last)
  if (current <= 4) return [...range(1, 5), null, last]
  if (current >= last - 3) return [1, null, ...range(last - 4, last)]
  return [1, null, ...range(current - 1, current + 1), null, last]
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, place) => from + place)
}

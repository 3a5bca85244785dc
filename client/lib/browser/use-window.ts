/** Virtual scrolling: the range of rows in view, for rows of equal height. */
import { type RefObject, useCallback, useSyncExternalStore } from 'react'

/** Granularity in rows, so that most scroll events cause no render. */
const STEP = 16
/** Upper bound of the height of a list box. */
const MAX_BOX_PX = 800

export interface Rows {
  /** First row to render, and the one after the last. */
  readonly first: number
  readonly end: number
}

export function useWindow(box: RefObject<HTMLElement | null>, count: number, rowPx: number): Rows {
  const step = useSyncExternalStore(
    useCallback(
      (onScroll) => {
        const element = box.current
        element?.addEventListener('scroll', onScroll, { passive: true })
        return () => element?.removeEventListener('scroll', onScroll)
      },
      [box],
    ),
    () => Math.floor((box.current?.scrollTop ?? 0) / (rowPx * STEP)),
  )
  const inView = Math.ceil(MAX_BOX_PX / rowPx)
  const first = Math.max(0, (step - 1) * STEP)
  return { first: Math.min(first, count), end: Math.min(count, first + inView + 3 * STEP) }
}

/** Which rows of a long list are in view, so that only those are drawn. All rows are equally high. */
import { type RefObject, useCallback, useSyncExternalStore } from 'react'

/** Rows are drawn in steps of this many: most scrolling then draws nothing. */
const STEP = 16
/** No list is taller than this on any screen; what it draws too much is not seen. */
const MAX_BOX_PX = 800

export interface Rows {
  /** The first row to draw, and the one after the last. */
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

/** Whether the reader is busy with a list: scrolled down, with focus in it or with text of it selected. */
import { type RefObject, useCallback, useSyncExternalStore } from 'react'

const NEAR_TOP_PX = 24

export function useHeld(list: RefObject<HTMLElement | null>): boolean {
  return useSyncExternalStore(
    watch,
    useCallback(() => isHeld(list.current), [list]),
  )
}

function isHeld(list: HTMLElement | null): boolean {
  if (window.scrollY > NEAR_TOP_PX) return true
  if (!list) return false
  const selection = getSelection()
  const hasSelection = selection !== null && !selection.isCollapsed && list.contains(selection.anchorNode)
  return hasSelection || list.contains(document.activeElement)
}

/** A frame later: while focus moves from one row to the next, it is nowhere for a moment. */
function watch(onChange: () => void): () => void {
  let frame = 0
  const later = () => {
    cancelAnimationFrame(frame)
    frame = requestAnimationFrame(onChange)
  }
  const events = ['scroll', 'focusin', 'focusout', 'selectionchange']
  for (const event of events) document.addEventListener(event, later, { passive: true })
  return () => {
    cancelAnimationFrame(frame)
    for (const event of events) document.removeEventListener(event, later)
  }
}

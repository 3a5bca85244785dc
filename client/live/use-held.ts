/** Detects that a list is in use, so that its rows must not move: pointer, focus, text selection or scroll position. */
import { type RefObject, useCallback, useEffect, useState, useSyncExternalStore } from 'react'

const NEAR_TOP_PX = 24

/** True while the pointer or the focus is in `area`, text in it is selected, or the page is scrolled down. */
export function useHeld(area: RefObject<HTMLElement | null>): boolean {
  const isHovered = useHovered(area)
  const isInUse = useSyncExternalStore(
    watchDocument,
    useCallback(() => isScrolledOrFocused(area.current), [area]),
  )
  return isInUse || isHovered
}

function useHovered(area: RefObject<HTMLElement | null>): boolean {
  const [isHovered, setIsHovered] = useState(false)
  useEffect(() => {
    const element = area.current
    if (!element) return
    // Touch has no hover; scrolling by touch holds the list as well.
    const enter = ({ pointerType }: PointerEvent) => setIsHovered(pointerType === 'mouse')
    const leave = () => setIsHovered(false)
    element.addEventListener('pointerover', enter)
    element.addEventListener('pointerleave', leave)
    return () => {
      element.removeEventListener('pointerover', enter)
      element.removeEventListener('pointerleave', leave)
    }
  }, [area])
  return isHovered
}

function isScrolledOrFocused(area: HTMLElement | null): boolean {
  if (window.scrollY > NEAR_TOP_PX) return true
  if (!area) return false
  const selection = getSelection()
  const hasSelection = selection !== null && !selection.isCollapsed && area.contains(selection.anchorNode)
  return hasSelection || area.contains(document.activeElement)
}

/** Waits for the next animation frame: while the focus moves between rows, no element has it. */
function watchDocument(onChange: () => void): () => void {
  let frame = 0
  const schedule = () => {
    cancelAnimationFrame(frame)
    frame = requestAnimationFrame(onChange)
  }
  const events = ['scroll', 'focusin', 'focusout', 'selectionchange']
  for (const event of events) document.addEventListener(event, schedule, { passive: true })
  return () => {
    cancelAnimationFrame(frame)
    for (const event of events) document.removeEventListener(event, schedule)
  }
}

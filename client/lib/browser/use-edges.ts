/** Horizontally scrolling row: keeps the current item in view and fades edges with hidden content. */
import { type RefObject, useEffect, useEffectEvent, useRef, useState } from 'react'

/** Smaller overflows are ignored. */
const TOLERANCE_PX = 4

export interface Edges<Row extends HTMLElement> {
  readonly ref: RefObject<Row | null>
  /** Classes that fade the edges with hidden content. */
  readonly fade: string
  readonly onScroll: () => void
}

/** `current` is the selector of the element to keep in view; it is evaluated again whenever `of` changes. */
export function useEdges<Row extends HTMLElement>(current: string, of: string): Edges<Row> {
  const ref = useRef<Row>(null)
  const isFirst = useRef(true)
  const [fade, setFade] = useState('')

  function update(): void {
    const row = ref.current
    if (!row) return
    const before = row.scrollLeft > TOLERANCE_PX
    const after = row.scrollWidth - row.clientWidth - row.scrollLeft > TOLERANCE_PX
    setFade(`${before ? 'mask-l-from-[calc(100%-2.5rem)]' : ''} ${after ? 'mask-r-from-[calc(100%-2.5rem)]' : ''}`)
  }

  const onResize = useEffectEvent(update)

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new `of` means another current element
  useEffect(() => {
    const row = ref.current
    const item = row?.querySelector<HTMLElement>(current)
    if (!row || !item) return
    const [space, place] = [row.getBoundingClientRect(), item.getBoundingClientRect()]
    const left = row.scrollLeft + place.left - space.left - (space.width - place.width) / 2
    // 'auto' follows the CSS of the row, which respects reduced motion.
    row.scrollTo({ left, behavior: isFirst.current ? 'instant' : 'auto' })
    isFirst.current = false
    onResize()
  }, [current, of])

  useEffect(() => {
    if (!ref.current) return
    const observer = new ResizeObserver(() => onResize())
    observer.observe(ref.current)
    return () => observer.disconnect()
  }, [])

  return { ref, fade, onScroll: update }
}

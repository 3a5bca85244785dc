/** A row that scrolls sideways: shows what is current, and at which edges there is more. */
import { type RefObject, useEffect, useEffectEvent, useRef, useState } from 'react'

/** What is only just cut off is no news. */
const NEARLY_PX = 4

export interface Edges<Row extends HTMLElement> {
  readonly ref: RefObject<Row | null>
  /** Fades the edges behind which there is more. */
  readonly fade: string
  readonly onScroll: () => void
}

/** `current` selects the element to have in view; it is looked for again whenever `of` changes. */
export function useEdges<Row extends HTMLElement>(current: string, of: string): Edges<Row> {
  const ref = useRef<Row>(null)
  const isFirst = useRef(true)
  const [fade, setFade] = useState('')

  function look(): void {
    const row = ref.current
    if (!row) return
    const before = row.scrollLeft > NEARLY_PX
    const after = row.scrollWidth - row.clientWidth - row.scrollLeft > NEARLY_PX
    setFade(`${before ? 'mask-l-from-[calc(100%-2.5rem)]' : ''} ${after ? 'mask-r-from-[calc(100%-2.5rem)]' : ''}`)
  }

  const lookAgain = useEffectEvent(look)

  // biome-ignore lint/correctness/useExhaustiveDependencies: another page is what moves it.
  useEffect(() => {
    const row = ref.current
    const item = row?.querySelector<HTMLElement>(current)
    if (!row || !item) return
    const [space, place] = [row.getBoundingClientRect(), item.getBoundingClientRect()]
    const left = row.scrollLeft + place.left - space.left - (space.width - place.width) / 2
    // Otherwise as the row's own style says, which knows whether motion is wanted.
    row.scrollTo({ left, behavior: isFirst.current ? 'instant' : 'auto' })
    isFirst.current = false
    lookAgain()
  }, [current, of])

  useEffect(() => {
    if (!ref.current) return
    const watching = new ResizeObserver(() => lookAgain())
    watching.observe(ref.current)
    return () => watching.disconnect()
  }, [])

  return { ref, fade, onScroll: look }
}

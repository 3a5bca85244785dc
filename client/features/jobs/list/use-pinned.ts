/** Whether the reader is busy with a list: the pointer or the focus is in it, text of it is selected, or one has scrolled. */
import { type RefObject, useEffect, useState } from 'react'
import { useHeld } from '../../overview/use-held.ts'

export function usePinned(area: RefObject<HTMLElement | null>): boolean {
  const isHeld = useHeld(area)
  const [isOver, setIsOver] = useState(false)
  useEffect(() => {
    const element = area.current
    if (!element) return
    // A finger leaves no pointer behind; it scrolls, which holds the list as well.
    const enter = ({ pointerType }: PointerEvent) => setIsOver(pointerType === 'mouse')
    const leave = () => setIsOver(false)
    element.addEventListener('pointerover', enter)
    element.addEventListener('pointerleave', leave)
    return () => {
      element.removeEventListener('pointerover', enter)
      element.removeEventListener('pointerleave', leave)
    }
  }, [area])
  return isHeld || isOver
}

/** Keys that act on rows: `x` chooses the row with the focus (with Shift up to it), `r` retries, Escape takes it back. */
import { type RefObject, useEffect, useEffectEvent } from 'react'
import { isTyping } from '../../../app/use-keys.ts'

export interface RowActs {
  choose(id: string, isRange: boolean): void
  clear(): void
  /** The row with the focus; null: there is none. */
  retry(id: string | null): void
}

export function useRowActs(area: RefObject<HTMLElement | null>, acts: RowActs): void {
  const press = useEffectEvent((event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
    const { target } = event
    if (isTyping(target) || document.querySelector('[role=dialog], [role=menu]')) return
    const row = document.activeElement?.closest<HTMLElement>('[data-job-id]') ?? null
    const id = row && area.current?.contains(row) ? (row.dataset.jobId ?? null) : null
    if (event.key === 'Escape') acts.clear()
    else if (event.key === 'r') acts.retry(id)
    else if (event.key.toLowerCase() === 'x' && id !== null) acts.choose(id, event.shiftKey)
  })
  useEffect(() => {
    const listener = (event: KeyboardEvent) => press(event)
    window.addEventListener('keydown', listener)
    return () => window.removeEventListener('keydown', listener)
  }, [])
}

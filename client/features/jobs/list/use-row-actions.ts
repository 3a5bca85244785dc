/** Keyboard actions on rows: `x` selects the focused row (Shift: a range), `r` retries, Escape clears the selection. */
import { type RefObject, useEffect, useEffectEvent } from 'react'
import { isTyping } from '../../../lib/browser/is-typing.ts'

export interface RowActions {
  select(id: string, isRange: boolean): void
  clear(): void
  /** null: no row has the focus. */
  retry(id: string | null): void
}

export function useRowActions(area: RefObject<HTMLElement | null>, actions: RowActions): void {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
    const { target } = event
    if (isTyping(target) || document.querySelector('[role=dialog], [role=menu]')) return
    const row = document.activeElement?.closest<HTMLElement>('[data-job-id]') ?? null
    const id = row && area.current?.contains(row) ? (row.dataset.jobId ?? null) : null
    if (event.key === 'Escape') actions.clear()
    else if (event.key === 'r') actions.retry(id)
    else if (event.key.toLowerCase() === 'x' && id !== null) actions.select(id, event.shiftKey)
  })
  useEffect(() => {
    const listener = (event: KeyboardEvent) => onKey(event)
    window.addEventListener('keydown', listener)
    return () => window.removeEventListener('keydown', listener)
  }, [])
}

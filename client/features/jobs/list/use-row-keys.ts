/** Keys that move: `j` and `k` put the focus on the next or previous job. Enter opens, as links do. */
import { type RefObject, useEffect, useEffectEvent } from 'react'
import { isTyping } from '../../../app/use-keys.ts'

export function useRowKeys(area: RefObject<HTMLElement | null>): void {
  const press = useEffectEvent((event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
    const { key, target } = event
    if (isTyping(target) || document.querySelector('[role=dialog], [role=menu]')) return
    if (key === 'j' || key === 'k') focusRow(area.current, key === 'j' ? 1 : -1)
  })
  useEffect(() => {
    const listener = (event: KeyboardEvent) => press(event)
    window.addEventListener('keydown', listener)
    return () => window.removeEventListener('keydown', listener)
  }, [])
}

/** The focus is the cursor: what it is on is what keys act on, and screen readers say where it is. */
function focusRow(area: HTMLElement | null, by: 1 | -1): void {
  const links = [...(area?.querySelectorAll<HTMLElement>('[data-row-link]') ?? [])]
  const row = document.activeElement?.closest('[data-job-id]')
  const at = links.findIndex((link) => row?.contains(link))
  const next = links[at < 0 ? 0 : Math.max(0, Math.min(links.length - 1, at + by))]
  next?.focus({ preventScroll: true })
  next?.scrollIntoView({ block: 'nearest' })
}

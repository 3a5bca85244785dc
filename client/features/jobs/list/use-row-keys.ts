/** Keyboard navigation: `j` and `k` focus the next or previous job. Enter opens it, because rows are links. */
import { type RefObject, useEffect, useEffectEvent } from 'react'
import { isTyping } from '../../../lib/browser/is-typing.ts'

export function useRowKeys(area: RefObject<HTMLElement | null>): void {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
    const { key, target } = event
    if (isTyping(target) || document.querySelector('[role=dialog], [role=menu]')) return
    if (key === 'j' || key === 'k') focusRow(area.current, key === 'j' ? 1 : -1)
  })
  useEffect(() => {
    const listener = (event: KeyboardEvent) => onKey(event)
    window.addEventListener('keydown', listener)
    return () => window.removeEventListener('keydown', listener)
  }, [])
}

/** The focus is the cursor: keyboard actions apply to the focused row, and screen readers announce it. */
function focusRow(area: HTMLElement | null, by: 1 | -1): void {
  const links = [...(area?.querySelectorAll<HTMLElement>('[data-row-link]') ?? [])]
  const row = document.activeElement?.closest('[data-job-id]')
  const at = links.findIndex((link) => row?.contains(link))
  const next = links[at < 0 ? 0 : Math.max(0, Math.min(links.length - 1, at + by))]
  next?.focus({ preventScroll: true })
  next?.scrollIntoView({ block: 'nearest' })
}

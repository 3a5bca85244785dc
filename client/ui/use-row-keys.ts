/** Keyboard navigation: `j` and `k` focus the next or previous row; Enter opens it, because rows are links. */
import { type RefObject, useEffect } from 'react'
import { isTyping } from '../lib/browser/is-typing.ts'

export function useRowKeys(area: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const { key, target } = event
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTyping(target)) return
      if ((key !== 'j' && key !== 'k') || document.querySelector('[role=dialog], [role=menu]')) return
      const links = [...(area.current?.querySelectorAll<HTMLElement>('[data-row-link]') ?? [])]
      const at = links.findIndex((link) => link.matches(':focus'))
      const next = links[at < 0 ? 0 : Math.max(0, Math.min(links.length - 1, at + (key === 'j' ? 1 : -1)))]
      next?.focus({ preventScroll: true })
      next?.scrollIntoView({ block: 'nearest' })
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [area])
}

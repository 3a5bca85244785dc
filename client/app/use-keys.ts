/** Keys that work on every page: `g` and a letter go somewhere, `/` to the filter of jobs, `u` undoes, `?` shows the map. */
import { useEffect, useEffectEvent } from 'react'
import { useLocation, useSearch } from 'wouter'
import { wantFilter } from '../features/jobs/filter/focus-request.ts'
import { addressWith } from '../features/jobs/use-jobs-url.ts'
import { ROUTES } from '../lib/routes.ts'

/** The second key comes soon or not at all. */
const SECOND_KEY_MS = 1_500

export function useKeys(onHelp: () => void): void {
  const [path, go] = useLocation()
  const search = useSearch()
  const help = useEffectEvent(onHelp)
  const goTo = useEffectEvent((path: string) => go(path))
  const filter = useEffectEvent(() => {
    if (!wantFilter()) go(addressWith(path === '/jobs' ? search : '', { view: 'table' }))
  })
  useEffect(() => {
    let goneAt = Number.NEGATIVE_INFINITY
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
      if (event.key === '?') help()
      else if (event.key === 'u') [...document.querySelectorAll<HTMLElement>('[data-undo]')].at(-1)?.click()
      else if (event.key === '/' && !document.querySelector('[role=dialog], [role=menu]')) {
        // The key itself must not be written into the field.
        event.preventDefault()
        filter()
      } else if (event.key === 'g') goneAt = event.timeStamp
      else if (event.timeStamp - goneAt < SECOND_KEY_MS) {
        goneAt = Number.NEGATIVE_INFINITY
        const route = ROUTES.find(({ letter }) => letter === event.key)
        if (route) goTo(route.path)
      }
    }
    window.addEventListener('keydown', press)
    return () => window.removeEventListener('keydown', press)
  }, [])
}

/** A box that is ticked takes no letters. */
export function isTyping(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement) return target.type !== 'checkbox'
  return target instanceof HTMLElement && (target.isContentEditable || ['TEXTAREA', 'SELECT'].includes(target.tagName))
}

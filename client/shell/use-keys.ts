/** Keys that work on every page: `g` and a letter go somewhere, `u` undoes, `?` shows the map. */
import { useEffect, useEffectEvent } from 'react'
import { useLocation } from 'wouter'
import { ROUTES } from './routes.ts'

/** The second key comes soon or not at all. */
const SECOND_KEY_MS = 1_500

export function useKeys(onHelp: () => void): void {
  const [, go] = useLocation()
  const help = useEffectEvent(onHelp)
  const goTo = useEffectEvent((path: string) => go(path))
  useEffect(() => {
    let goneAt = Number.NEGATIVE_INFINITY
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
      if (event.key === '?') help()
      else if (event.key === 'u') [...document.querySelectorAll<HTMLElement>('[data-undo]')].at(-1)?.click()
      else if (event.key === 'g') goneAt = event.timeStamp
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

export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName))
  )
}

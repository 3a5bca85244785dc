/** Global shortcuts: `g` + letter navigates, `/` filters jobs, `u` undoes, `?` opens the help. */
import { useEffect, useEffectEvent } from 'react'
import { useLocation, useSearch } from 'wouter'
import { addressWith } from '../features/jobs/use-jobs-url.ts'
import { isTyping } from '../lib/browser/is-typing.ts'
import { requestFilterFocus } from '../lib/filter/focus-request.ts'
import { ROUTES } from '../lib/routes.ts'

/** Maximum time between `g` and the letter. */
const SECOND_KEY_MS = 1_500

export function useKeys(onHelp: () => void): void {
  const [path, go] = useLocation()
  const search = useSearch()
  const help = useEffectEvent(onHelp)
  const goTo = useEffectEvent((path: string) => go(path))
  const filter = useEffectEvent(() => {
    if (!requestFilterFocus()) go(addressWith(path === '/jobs' ? search : '', { view: 'table' }))
  })
  useEffect(() => {
    let prefixAt = Number.NEGATIVE_INFINITY
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
      if (event.key === '?') help()
      else if (event.key === 'u') [...document.querySelectorAll<HTMLElement>('[data-undo]')].at(-1)?.click()
      else if (event.key === '/' && !document.querySelector('[role=dialog], [role=menu]')) {
        // Prevents the `/` from being typed into the field.
        event.preventDefault()
        filter()
      } else if (event.timeStamp - prefixAt < SECOND_KEY_MS) {
        prefixAt = Number.NEGATIVE_INFINITY
        const route = ROUTES.find(({ letter }) => letter === event.key)
        if (route) goTo(route.path)
      } else if (event.key === 'g') prefixAt = event.timeStamp
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [])
}

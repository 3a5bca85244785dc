/** Visibility of this browser tab. */
import { useSyncExternalStore } from 'react'

export function useVisible(): boolean {
  return useSyncExternalStore(
    (onChange) => {
      document.addEventListener('visibilitychange', onChange)
      return () => document.removeEventListener('visibilitychange', onChange)
    },
    () => !document.hidden,
  )
}

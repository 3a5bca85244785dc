/** What was typed into a form and is not saved: kept while the tab is open, and asked about before that goes. */
import { useEffect, useState, useSyncExternalStore } from 'react'

export interface KeptEdits<Edits> {
  get(): Edits
  set(next: Edits): void
  subscribe(onChange: () => void): () => void
}

const forgetters = new Set<() => void>()

/** `nothing` itself means that nothing is edited. Made once, outside of the form: pages come and go. */
export function keepEdits<Edits>(nothing: Edits): KeptEdits<Edits> {
  const listeners = new Set<() => void>()
  const mark = {}
  let edits = nothing
  function set(next: Edits): void {
    edits = next
    setUnsaved(mark, next !== nothing)
    for (const listener of listeners) listener()
  }
  forgetters.add(() => set(nothing))
  return {
    get: () => edits,
    set,
    subscribe(onChange) {
      listeners.add(onChange)
      return () => listeners.delete(onChange)
    },
  }
}

/** Of all forms. */
export function forgetEdits(): void {
  for (const forget of forgetters) forget()
}

export function useKeptEdits<Edits>(kept: KeptEdits<Edits>): readonly [Edits, (next: Edits) => void] {
  return [useSyncExternalStore(kept.subscribe, kept.get), kept.set]
}

/** For a form that keeps nothing: asks before the page goes. */
export function useUnsaved(isUnsaved: boolean): void {
  const [mark] = useState({})
  useEffect(() => {
    setUnsaved(mark, isUnsaved)
    return () => setUnsaved(mark, false)
  }, [mark, isUnsaved])
}

const unsaved = new Set<object>()

function setUnsaved(mark: object, isUnsaved: boolean): void {
  if (isUnsaved) unsaved.add(mark)
  else unsaved.delete(mark)
  // Browsers keep pages without such a listener ready for the way back.
  if (unsaved.size > 0) window.addEventListener('beforeunload', ask)
  else window.removeEventListener('beforeunload', ask)
}

function ask(event: BeforeUnloadEvent): void {
  event.preventDefault()
}

/** Unsaved form edits: kept while the tab is open, with a prompt before the page unloads. */
import { useEffect, useState } from 'react'
import { createStore, type Store, useStore } from '../../lib/store.ts'
import { onClearUnsentInput } from '../../session/unsent-input.ts'

/** Created once per form, outside of React, so that edits survive navigation. `none` stands for "nothing edited". */
export function keepEdits<Edits>(none: Edits): Store<Edits> {
  const store = createStore(none)
  const form = {}
  function set(next: Edits): void {
    setUnsaved(form, next !== none)
    store.set(next)
  }
  onClearUnsentInput(() => set(none))
  return { ...store, set }
}

export function useKeptEdits<Edits>(kept: Store<Edits>): readonly [Edits, (next: Edits) => void] {
  return [useStore(kept), kept.set]
}

/** For a form that keeps nothing: prompts before the page unloads. */
export function useUnsaved(isUnsaved: boolean): void {
  const [form] = useState({})
  useEffect(() => {
    setUnsaved(form, isUnsaved)
    return () => setUnsaved(form, false)
  }, [form, isUnsaved])
}

const unsavedForms = new Set<object>()

function setUnsaved(form: object, isUnsaved: boolean): void {
  if (isUnsaved) unsavedForms.add(form)
  else unsavedForms.delete(form)
  // Attached only when needed: a `beforeunload` listener excludes the page from the back/forward cache.
  if (unsavedForms.size > 0) window.addEventListener('beforeunload', prompt)
  else window.removeEventListener('beforeunload', prompt)
}

function prompt(event: BeforeUnloadEvent): void {
  event.preventDefault()
}

/** What was typed and not sent is for whoever typed it: it goes when they leave, or when somebody else comes. */
import { useSyncExternalStore } from 'react'
import { forgetDrafts } from '../features/new-job/kept-draft.ts'
import { forgetEdits } from '../features/settings/form/kept-edits.ts'
import { basePath } from '../lib/routes.ts'

const listeners = new Set<() => void>()
let last: string | null = null
let times = 0

/** They are here. Whoever was here last finds everything again, also after a session that ran out; null: nobody knows who. */
export function typedBy(actor: string | null): void {
  if (actor === null) return
  const before = last ?? stored()
  last = actor
  store(actor)
  if (before !== null && before !== actor) forgetTyped()
}

export function forgetTyped(): void {
  forgetEdits()
  forgetDrafts()
  times += 1
  for (const listener of listeners) listener()
}

/** How often that was: forms that are open begin anew with it. */
export function useTimesForgotten(): number {
  return useSyncExternalStore(subscribe, () => times)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** Drafts outlive the page: so does whose they are. */
const nameOf = () => `millrace.typed-by ${basePath()}`

function stored(): string | null {
  try {
    return sessionStorage.getItem(nameOf())
  } catch {
    return null
  }
}

function store(actor: string): void {
  try {
    sessionStorage.setItem(nameOf(), actor)
  } catch {
    // Then no draft outlives the page either.
  }
}

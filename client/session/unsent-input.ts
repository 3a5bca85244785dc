/** Unsent form input: kept for the user who entered it, cleared on sign-out or when another user signs in. */
import { basePath } from '../lib/routes.ts'
import { createStore, useStore } from '../lib/store.ts'

const clearCount = createStore(0)
const clearers = new Set<() => void>()
let owner: string | null = null

/** Input that is kept in memory registers its `clear` here. */
export function onClearUnsentInput(clear: () => void): void {
  clearers.add(clear)
}

/** Key in `sessionStorage` of a draft that survives a reload; `clearUnsentInput` removes all of them. */
export function draftKey(name: string): string {
  return `millrace.draft ${basePath()} ${name}`
}

/** The same user finds the input again, also after the session expired. null: the user is unknown. */
export function setInputOwner(actor: string | null): void {
  if (actor === null) return
  const before = owner ?? storedOwner()
  owner = actor
  storeOwner(actor)
  if (before !== null && before !== actor) clearUnsentInput()
}

export function clearUnsentInput(): void {
  for (const clear of clearers) clear()
  removeDrafts()
  clearCount.set(clearCount.get() + 1)
}

/** Changes whenever the input was cleared: open forms use it as a key and start empty. */
export function useClearCount(): number {
  return useStore(clearCount)
}

function removeDrafts(): void {
  try {
    for (const key of Object.keys(sessionStorage)) if (key.startsWith(draftKey(''))) sessionStorage.removeItem(key)
  } catch {
    // Storage is blocked, so no draft was stored.
  }
}

/** Drafts survive a reload, so their owner must too. */
const ownerKey = () => `millrace.input-owner ${basePath()}`

function storedOwner(): string | null {
  try {
    return sessionStorage.getItem(ownerKey())
  } catch {
    return null
  }
}

function storeOwner(actor: string): void {
  try {
    sessionStorage.setItem(ownerKey(), actor)
  } catch {
    // Storage is blocked, so no draft survives a reload either.
  }
}

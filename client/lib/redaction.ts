/**
 * Redaction rules of this browser: values that it does not display. They are stored only here and are no access control, because
 * the server still sends the values.
 */
import { useMemo } from 'react'
import { MAX_RULES, type Root, redact, ruleProblem } from '../../shared/redaction/redaction.ts'
import { createStore, useStore } from './store.ts'

const KEY = 'millrace.redaction'

interface StoredRules {
  /** The text in `localStorage` that `rules` were parsed from. */
  readonly text: string | null
  readonly rules: readonly string[]
}

const saved = createStore<StoredRules>({ text: null, rules: [] })
let current = saved.get()

/** The same array until the rules change. */
export function redactionRules(): readonly string[] {
  const text = storedText()
  if (text !== current.text) current = { text, rules: parse(text) }
  return current.rules
}

/** Returns false when the browser blocks storage; the rules then last until the page is closed. */
export function saveRedactionRules(next: readonly string[]): boolean {
  const rules = next.slice(0, MAX_RULES)
  let isStored = true
  try {
    localStorage.setItem(KEY, JSON.stringify(rules))
  } catch {
    isStored = false
  }
  current = { text: storedText(), rules }
  saved.set(current)
  return isStored
}

/** The document with redacted values replaced. */
export function useRedacted(document: unknown, root: Root): unknown {
  const rules = useRedactionRules()
  return useMemo(() => redact(document, root, rules), [document, root, rules])
}

/** Updates also when another tab changes the rules. */
export function useRedactionRules(): readonly string[] {
  return useStore({ get: redactionRules, subscribe })
}

function subscribe(listener: () => void): () => void {
  const unsubscribe = saved.subscribe(listener)
  window.addEventListener('storage', listener)
  return () => {
    unsubscribe()
    window.removeEventListener('storage', listener)
  }
}

function storedText(): string | null {
  try {
    return localStorage.getItem(KEY)
  } catch {
    return current.text
  }
}

function parse(stored: string | null): readonly string[] {
  try {
    const value: unknown = JSON.parse(stored ?? '[]')
    const list = Array.isArray(value) ? value : []
    return list
      .filter((rule): rule is string => typeof rule === 'string' && ruleProblem(rule) === null)
      .slice(0, MAX_RULES)
  } catch {
    return []
  }
}

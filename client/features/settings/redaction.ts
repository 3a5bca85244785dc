/**
 * Values that this browser does not show: its rules are kept here and nowhere else. They hide from eyes over a shoulder; whoever
 * may read a job can still fetch it.
 */
import { useMemo, useSyncExternalStore } from 'react'
import { MAX_RULES, type Root, redact, ruleProblem } from '../../../shared/redaction/redaction.ts'

const KEY = 'millrace.redaction'

const listeners = new Set<() => void>()
let text: string | null = null
let rules: readonly string[] = []

/** The same list until it changes. */
export function redactionRules(): readonly string[] {
  const stored = storedText()
  if (stored !== text) {
    text = stored
    rules = parse(stored)
  }
  return rules
}

/** false: this browser keeps nothing, and they last as long as the page. */
export function saveRedactionRules(next: readonly string[]): boolean {
  const kept = next.slice(0, MAX_RULES)
  let isKept = true
  try {
    localStorage.setItem(KEY, JSON.stringify(kept))
  } catch {
    isKept = false
  }
  text = storedText()
  rules = kept
  for (const listener of listeners) listener()
  return isKept
}

/** A document as this browser shows it. */
export function useRedacted(document: unknown, root: Root): unknown {
  const known = useRedactionRules()
  return useMemo(() => redact(document, root, known), [document, root, known])
}

/** The rules, also when another tab changes them. */
export function useRedactionRules(): readonly string[] {
  return useSyncExternalStore(subscribe, redactionRules)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  window.addEventListener('storage', listener)
  return () => {
    listeners.delete(listener)
    window.removeEventListener('storage', listener)
  }
}

function storedText(): string | null {
  try {
    return localStorage.getItem(KEY)
  } catch {
    return text
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

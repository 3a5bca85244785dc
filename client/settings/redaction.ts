/**
 * Values that this browser does not show: rules such as `payload.card.*`, kept here and nowhere else. They hide from eyes over
 * a shoulder; whoever may read a job can still fetch it.
 */
import { useSyncExternalStore } from 'react'

/** Where a document hangs in a job. */
export type Root = 'payload' | 'result'

/** Shown instead of a value. */
export const REDACTED = '••••'

const KEY = 'millrace.redaction'
const MAX_RULES = 100
const PART = /^(?:\*\*?|[^\s.*]+)$/

/** What is wrong with a rule, in words; null: nothing. */
export function ruleProblem(rule: string): string | null {
  const [root, ...parts] = rule.split('.')
  if (root !== 'payload' && root !== 'result') return 'A rule begins with payload or result, such as payload.card.*'
  if (parts.length === 0) return null
  return parts.every((part) => PART.test(part)) ? null : 'Between the dots: a name, * for any one, or ** for any depth.'
}

/** Whether the value at this place, `['payload', 'card', 'number']`, is hidden, by itself or with what it is part of. */
export function isRedacted(path: readonly string[], rules: readonly string[]): boolean {
  return rules.some((rule) => matches(rule.split('.'), path))
}

/** The document with what is hidden replaced; the very same one where nothing is. */
export function redact(document: unknown, root: Root, rules: readonly string[]): unknown {
  const patterns = rules.map((rule) => rule.split('.')).filter(([first]) => first === root)
  return patterns.length === 0 ? document : walk(document, [root], patterns)
}

function walk(value: unknown, path: readonly string[], patterns: readonly (readonly string[])[]): unknown {
  if (patterns.some((pattern) => matchesWhole(pattern, path))) return REDACTED
  if (Array.isArray(value)) return value.map((item, place) => walk(item, [...path, String(place)], patterns))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, walk(item, [...path, key], patterns)]))
}

function matches(pattern: readonly string[], path: readonly string[]): boolean {
  return path.some((_, end) => matchesWhole(pattern, path.slice(0, end + 1)))
}

function matchesWhole([part, ...rest]: readonly string[], path: readonly string[]): boolean {
  if (part === undefined) return path.length === 0
  if (part === '**') return path.some((_, place) => matchesWhole(rest, path.slice(place))) || rest.length === 0
  const [first, ...below] = path
  return first !== undefined && (part === '*' || part === first) && matchesWhole(rest, below)
}

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

/** A job that was begun and not enqueued: kept in this tab until it is, also when the page is loaded again. */

import { basePath } from '../../lib/routes.ts'
import { redactionRules } from '../settings/redaction.ts'
import type { Draft } from './draft.ts'
import { isObject } from './schema/schema.ts'
import { Unparsed } from './schema/unparsed.ts'

export interface Begun {
  readonly type: string
  readonly draft: Draft
}

const prefix = () => `millrace.draft ${basePath()} `

/** A clone has a draft of its own, which ends when what this browser hides changes: the dots in it would mean something else. */
function nameOf(from: string | undefined): string {
  const what = from === undefined ? '' : JSON.stringify([from, redactionRules()])
  return `${prefix()}${what}`
}

export function keepDraft(from: string | undefined, { type, draft }: Begun): boolean {
  try {
    // What is hidden is read from the job again.
    sessionStorage.setItem(nameOf(from), JSON.stringify({ type, draft: { ...draft, hidden: null } }, withUnparsed))
    return true
  } catch {
    return false
  }
}

/** `first` is what it began with. Null: nothing is kept. */
export function keptDraft(from: string | undefined, first: Draft): Begun | null {
  try {
    const found: unknown = JSON.parse(sessionStorage.getItem(nameOf(from)) ?? 'null', asUnparsed)
    if (!isBegun(found)) return null
    const { type, draft } = found
    return {
      type,
      draft: { ...first, ...draft, options: { ...first.options, ...draft.options }, hidden: first.hidden },
    }
  } catch {
    return null
  }
}

export function forgetDraft(from: string | undefined): void {
  try {
    sessionStorage.removeItem(nameOf(from))
  } catch {
    // Then nothing was kept either.
  }
}

/** Of every job that was begun. */
export function forgetDrafts(): void {
  try {
    for (const name of Object.keys(sessionStorage)) if (name.startsWith(prefix())) sessionStorage.removeItem(name)
  } catch {
    // As above.
  }
}

function isBegun(value: unknown): value is Begun {
  if (!isObject(value) || typeof value.type !== 'string' || !isObject(value.draft)) return false
  return isObject(value.draft.payload) && isObject(value.draft.options)
}

const UNPARSED = '\u0000unparsed'

/** Its `toJSON` has been called already: the holder still has it as it was. */
function withUnparsed(this: unknown, key: string, value: unknown): unknown {
  const was: unknown = Reflect.get(Object(this), key)
  return was instanceof Unparsed ? { [UNPARSED]: was.text, problem: was.problem } : value
}

function asUnparsed(_key: string, value: unknown): unknown {
  return isObject(value) && UNPARSED in value ? new Unparsed(String(value[UNPARSED]), String(value.problem)) : value
}

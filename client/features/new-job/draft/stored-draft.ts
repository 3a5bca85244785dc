/** Draft of a new job in `sessionStorage`, so that it survives a reload. */

import { isObject } from '../../../../shared/json/is-object.ts'
import { redactionRules } from '../../../lib/redaction.ts'
import { draftKey } from '../../../session/unsent-input.ts'
import { InvalidJson } from '../schema/invalid-json.ts'
import type { Draft } from './draft.ts'

export interface StoredDraft {
  readonly type: string
  readonly draft: Draft
}

/** Each clone has a separate draft. The redaction rules are part of the key: with other rules its masks would stand for other values. */
function keyOf(from: string | undefined): string {
  return draftKey(from === undefined ? '' : JSON.stringify([from, redactionRules()]))
}

export function storeDraft(from: string | undefined, { type, draft }: StoredDraft): boolean {
  try {
    // Masked values are never stored; they are read from the job again.
    sessionStorage.setItem(keyOf(from), JSON.stringify({ type, draft: { ...draft, masked: null } }, replaceInvalidJson))
    return true
  } catch {
    return false
  }
}

/** `initial` fills in missing members. null: nothing is stored. */
export function loadDraft(from: string | undefined, initial: Draft): StoredDraft | null {
  try {
    const found: unknown = JSON.parse(sessionStorage.getItem(keyOf(from)) ?? 'null', reviveInvalidJson)
    if (!isStoredDraft(found)) return null
    const { type, draft } = found
    return {
      type,
      draft: { ...initial, ...draft, options: { ...initial.options, ...draft.options }, masked: initial.masked },
    }
  } catch {
    return null
  }
}

export function removeDraft(from: string | undefined): void {
  try {
    sessionStorage.removeItem(keyOf(from))
  } catch {
    // Storage is blocked, so nothing was stored.
  }
}

function isStoredDraft(value: unknown): value is StoredDraft {
  if (!isObject(value) || typeof value.type !== 'string' || !isObject(value.draft)) return false
  return isObject(value.draft.payload) && isObject(value.draft.options)
}

const INVALID_JSON = '\u0000unparsed'

/** `value` is the result of `toJSON`; the holder still has the instance. */
function replaceInvalidJson(this: unknown, key: string, value: unknown): unknown {
  const original: unknown = Reflect.get(Object(this), key)
  return original instanceof InvalidJson ? { [INVALID_JSON]: original.text, problem: original.problem } : value
}

function reviveInvalidJson(_key: string, value: unknown): unknown {
  return isObject(value) && INVALID_JSON in value
    ? new InvalidJson(String(value[INVALID_JSON]), String(value.problem))
    : value
}

/** A form over settings that may change under it: only what was typed here is sent, the rest follows the server. */
import { useState } from 'react'
import type { Backoff } from '../../../shared/backoff.ts'
import { type BackoffDraft, type BackoffInput, backoffDraft, readBackoff } from './backoff-draft.ts'
import { type Draft, type Field, type Problems, readFields, textOf } from './fields.ts'
import { type Refusal, refusalOf } from './refusal.ts'

export interface FormChanges<Settings> {
  readonly set: Settings & { readonly backoff?: BackoffInput }
  readonly clear: readonly (keyof Settings & string)[]
}

interface Parts<Settings> {
  readonly fields: readonly Field<Settings>[]
  /** What is set now. */
  readonly settings: Settings & { readonly backoff?: Backoff | undefined }
  readonly nothing: Settings
}

export function useSettingsForm<Settings extends { readonly backoff?: unknown }>({
  fields,
  settings,
  nothing,
}: Parts<Settings>) {
  const [edits, setEdits] = useState<Draft>({})
  const [backoffEdit, setBackoffEdit] = useState<BackoffDraft | null>(null)
  const [refusal, setRefusal] = useState<Refusal | null>(null)
  const [isShown, setIsShown] = useState(false)

  const stored = backoffDraft(settings.backoff)
  const backoff = backoffEdit ?? stored
  const isBackoffChanged = JSON.stringify(backoff) !== JSON.stringify(stored)
  const read = readFields<Settings>(fields, edits, settings, nothing)
  const wait = isBackoffChanged ? readBackoff(backoff) : { backoff: undefined, problems: {} }
  const own: Problems = { ...read.problems, ...wait.problems }
  const isDirty =
    isBackoffChanged ||
    fields.some((field) => (edits[field.key] ?? null) !== null && edits[field.key]?.trim() !== textOf(field, settings))

  const isSaid = ({ problems }: Refusal) => {
    const places = Object.keys(problems)
    const isKnown = (place: string) => place.startsWith('backoff') || fields.some(({ key }) => key === place)
    return places.length > 0 && places.every(isKnown)
  }

  const changes: FormChanges<Settings> = {
    set: { ...read.set, ...(wait.backoff && { backoff: wait.backoff }) },
    clear: isBackoffChanged && wait.backoff === undefined ? [...read.clear, 'backoff'] : read.clear,
  }

  return {
    changes,
    isDirty,
    backoff,
    textOf: (field: Field<Settings>) => edits[field.key] ?? textOf(field, settings),
    edit(key: string, text: string) {
      setEdits((before) => ({ ...before, [key]: text }))
      setRefusal(null)
    },
    editBackoff(draft: BackoffDraft) {
      setBackoffEdit(draft)
      setRefusal(null)
    },
    /** What is wrong, once somebody tried to save it. */
    problems: isShown ? { ...own, ...refusal?.problems } : {},
    /** Of a refusal that is not all said at its fields. */
    message: refusal && !isSaid(refusal) ? refusal.message : null,
    /** Shows what is wrong here; false: then there is nothing to send. */
    check(): boolean {
      setIsShown(true)
      setRefusal(null)
      return Object.keys(own).length === 0
    },
    refuse: (error: unknown) => setRefusal(refusalOf(error)),
    reset() {
      setEdits({})
      setBackoffEdit(null)
      setRefusal(null)
      setIsShown(false)
    },
  }
}

/** A form over settings that may change under it: only what was typed here is sent, the rest follows the server. */
import { useState } from 'react'
import type { Backoff } from '../../../../shared/backoff.ts'
import { type BackoffDraft, type BackoffInput, backoffDraft, backoffText, readBackoff } from './backoff-draft.ts'
import { type Draft, type Field, type Problems, readFields, textOf } from './fields.ts'
import { changedMeanwhile } from './meanwhile.ts'
import { type Refusal, refusalOf } from './refusal.ts'

export interface FormChanges<Settings> {
  readonly set: Settings & { readonly backoff?: BackoffInput }
  readonly clear: readonly (keyof Settings & string)[]
}

export interface FormEdits {
  readonly texts: Draft
  /** What each field was before it was edited. */
  readonly before: Draft
  readonly backoff: BackoffDraft | null
}

export const NO_EDITS: FormEdits = { texts: {}, before: {}, backoff: null }

/** Where the wait stands among the fields. */
const BACKOFF = 'backoff'

interface Parts<Settings> {
  readonly fields: readonly Field<Settings>[]
  /** What is set now. */
  readonly settings: Settings & { readonly backoff?: Backoff | undefined }
  readonly nothing: Settings
  /** What is typed, wherever that is kept. */
  readonly state: readonly [edits: FormEdits, setEdits: (next: FormEdits) => void]
}

export function useSettingsForm<Settings extends { readonly backoff?: unknown }>({
  fields,
  settings,
  nothing,
  state: [edits, setEdits],
}: Parts<Settings>) {
  const [refusal, setRefusal] = useState<Refusal | null>(null)
  const [isShown, setIsShown] = useState(false)
  const [isSent, setIsSent] = useState(false)

  const stored = backoffDraft(settings.backoff)
  const backoff = edits.backoff ?? stored
  const isBackoffChanged = JSON.stringify(backoff) !== JSON.stringify(stored)
  const read = readFields<Settings>(fields, edits.texts, settings, nothing)
  const wait = isBackoffChanged ? readBackoff(backoff) : { backoff: undefined, problems: {} }
  const wrong: Problems = { ...read.problems, ...wait.problems }
  const edited = [
    ...Object.keys(read.set),
    ...read.clear,
    ...Object.keys(read.problems),
    ...(isBackoffChanged ? [BACKOFF] : []),
  ]

  const nowIs: Record<string, string> = { [BACKOFF]: settings.backoff ? backoffText(settings.backoff) : '' }
  for (const field of fields) nowIs[field.key] = textOf(field, settings)

  const isSaid = ({ problems }: Refusal) => {
    const places = Object.keys(problems)
    const isKnown = (place: string) => place.startsWith(BACKOFF) || fields.some(({ key }) => key === place)
    return places.length > 0 && places.every(isKnown)
  }

  const changes: FormChanges<Settings> = {
    set: { ...read.set, ...(wait.backoff && { backoff: wait.backoff }) },
    clear: isBackoffChanged && wait.backoff === undefined ? [...read.clear, BACKOFF] : read.clear,
  }

  function take(key: string, change: Partial<FormEdits>): void {
    const next = { ...edits, before: { [key]: nowIs[key] ?? '', ...edits.before }, ...change }
    const isSameWait = next.backoff === null || JSON.stringify(next.backoff) === JSON.stringify(stored)
    const isAsBefore = isSameWait && Object.entries(next.texts).every(([name, text]) => text === nowIs[name])
    setEdits(isAsBefore ? NO_EDITS : next)
    setRefusal(null)
    setIsSent(false)
  }

  return {
    changes,
    isDirty: edited.length > 0,
    backoff,
    textOf: (field: Field<Settings>) => edits.texts[field.key] ?? textOf(field, settings),
    edit: (key: string, text: string) => take(key, { texts: { ...edits.texts, [key]: text } }),
    editBackoff: (draft: BackoffDraft) => take(BACKOFF, { backoff: draft }),
    /** What others changed of the fields that are edited here: saving goes over it. */
    meanwhile: isSent ? {} : changedMeanwhile(edited, edits.before, nowIs),
    /** What is wrong, once somebody tried to save it. */
    problems: isShown ? { ...wrong, ...refusal?.problems } : {},
    /** Of a refusal that is not all said at its fields. */
    message: refusal && !isSaid(refusal) ? refusal.message : null,
    /** Shows what is wrong here; false: then there is nothing to send. */
    check(): boolean {
      setIsShown(true)
      setRefusal(null)
      const isRight = Object.keys(wrong).length === 0
      // What is sent comes back as somebody's change before the answer does.
      setIsSent(isRight)
      return isRight
    },
    refuse(error: unknown) {
      setRefusal(refusalOf(error))
      setIsSent(false)
    },
    reset() {
      setEdits(NO_EDITS)
      setRefusal(null)
      setIsShown(false)
      setIsSent(false)
    },
  }
}

/** Form state for settings: sends only edited fields; all others follow the server. */
import { useState } from 'react'
import type { Backoff } from '../../../shared/settings/backoff.ts'
import { type BackoffDraft, type BackoffInput, backoffDraft, backoffText, readBackoff } from './backoff-draft.ts'
import { conflictNotices, type Draft, type Field, type Problems, readFields, textOf } from './fields.ts'
import { type ServerErrors, serverErrorsOf } from './server-errors.ts'

export interface FormChanges<Settings> {
  readonly set: Settings & { readonly backoff?: BackoffInput }
  readonly clear: readonly (keyof Settings & string)[]
}

export interface FormEdits {
  readonly texts: Draft
  /** Text of each edited field when editing began. */
  readonly before: Draft
  readonly backoff: BackoffDraft | null
}

export const NO_EDITS: FormEdits = { texts: {}, before: {}, backoff: null }

const BACKOFF = 'backoff'

interface FormOptions<Settings> {
  readonly fields: readonly Field<Settings>[]
  /** Stored settings. */
  readonly settings: Settings & { readonly backoff?: Backoff | undefined }
  readonly none: Settings
  /** Edits and their setter, from `useState` or `useKeptEdits`. */
  readonly state: readonly [edits: FormEdits, setEdits: (next: FormEdits) => void]
}

export function useSettingsForm<Settings extends { readonly backoff?: unknown }>({
  fields,
  settings,
  none,
  state: [edits, setEdits],
}: FormOptions<Settings>) {
  const [errors, setErrors] = useState<ServerErrors | null>(null)
  const [isChecked, setIsChecked] = useState(false)
  const [isSent, setIsSent] = useState(false)

  const stored = backoffDraft(settings.backoff)
  const backoff = edits.backoff ?? stored
  const isBackoffChanged = JSON.stringify(backoff) !== JSON.stringify(stored)
  const read = readFields<Settings>(fields, edits.texts, settings, none)
  const parsedBackoff = isBackoffChanged ? readBackoff(backoff) : { backoff: undefined, problems: {} }
  const localProblems: Problems = { ...read.problems, ...parsedBackoff.problems }
  const edited = [
    ...Object.keys(read.set),
    ...read.clear,
    ...Object.keys(read.problems),
    ...(isBackoffChanged ? [BACKOFF] : []),
  ]

  const current: Record<string, string> = { [BACKOFF]: settings.backoff ? backoffText(settings.backoff) : '' }
  for (const field of fields) current[field.key] = textOf(field, settings)

  const isShownAtFields = ({ problems }: ServerErrors) => {
    const paths = Object.keys(problems)
    const isKnown = (path: string) => path.startsWith(BACKOFF) || fields.some(({ key }) => key === path)
    return paths.length > 0 && paths.every(isKnown)
  }

  const changes: FormChanges<Settings> = {
    set: { ...read.set, ...(parsedBackoff.backoff && { backoff: parsedBackoff.backoff }) },
    clear: isBackoffChanged && parsedBackoff.backoff === undefined ? [...read.clear, BACKOFF] : read.clear,
  }

  function applyEdit(key: string, change: Partial<FormEdits>): void {
    const next = { ...edits, before: { [key]: current[key] ?? '', ...edits.before }, ...change }
    const isSameBackoff = next.backoff === null || JSON.stringify(next.backoff) === JSON.stringify(stored)
    const isUnchanged = isSameBackoff && Object.entries(next.texts).every(([name, text]) => text === current[name])
    setEdits(isUnchanged ? NO_EDITS : next)
    setErrors(null)
    setIsSent(false)
  }

  return {
    changes,
    isDirty: edited.length > 0,
    backoff,
    textOf: (field: Field<Settings>) => edits.texts[field.key] ?? textOf(field, settings),
    edit: (key: string, text: string) => applyEdit(key, { texts: { ...edits.texts, [key]: text } }),
    editBackoff: (draft: BackoffDraft) => applyEdit(BACKOFF, { backoff: draft }),
    /** Notices for edited fields that someone else changed: saving overwrites those changes. */
    conflicts: isSent ? {} : conflictNotices(edited, edits.before, current),
    /** Empty until the first attempt to save. */
    problems: isChecked ? { ...localProblems, ...errors?.problems } : {},
    /** Server error that is not fully shown at the fields. */
    message: errors && !isShownAtFields(errors) ? errors.message : null,
    /** Shows the problems. Returns whether the form can be sent. */
    check(): boolean {
      setIsChecked(true)
      setErrors(null)
      const isValid = Object.keys(localProblems).length === 0
      // The own change may arrive through the event stream before the response, and is no conflict.
      setIsSent(isValid)
      return isValid
    },
    showServerErrors(error: unknown) {
      setErrors(serverErrorsOf(error))
      setIsSent(false)
    },
    reset() {
      setEdits(NO_EDITS)
      setErrors(null)
      setIsChecked(false)
      setIsSent(false)
    },
  }
}

/** Form of a schedule with a live preview of its next runs. */
import { type FormEvent, useMemo, useState } from 'react'
import { scheduleLimits } from '../../../../shared/schedules/limits.ts'
import type { ScheduleRow } from '../../../../shared/schedules/schedule.ts'
import { api } from '../../../lib/api.ts'
import { Button } from '../../../ui/Button.tsx'
import { useUnsaved } from '../../../ui/form/kept-edits.ts'
import { serverErrorsOf } from '../../../ui/form/server-errors.ts'
import { TextField } from '../../../ui/form/TextField.tsx'
import { TypeField } from '../../../ui/form/TypeField.tsx'
import { JsonEditor } from '../../../ui/json/JsonEditor.tsx'
import { type Base, type Draft, draftOf, type FormSettings, type Problems, readDraft } from './draft.ts'
import { FormOptions } from './FormOptions.tsx'
import { Preview } from './Preview.tsx'
import { RuleFields } from './RuleFields.tsx'

export interface ScheduleFormProps {
  readonly base: Base
  /** null: a new schedule. */
  readonly row: ScheduleRow | null
  readonly submitLabel: string
  readonly isSaving: boolean
  readonly onCancel: () => void
  readonly onSubmit: (name: string, settings: FormSettings, onError: (error: unknown) => void) => void
}

const NO_PROBLEMS: { readonly problems: Problems; readonly message: string | null } = { problems: {}, message: null }
const PANEL = 'rounded-lg bg-surface px-4 py-4 ring-1 ring-line sm:px-5'

export function ScheduleForm({ base, row, submitLabel, isSaving, onCancel, onSubmit }: ScheduleFormProps) {
  const { data: types } = api.types.list.useQuery()
  const [start] = useState(() => ({ base, draft: draftOf(row?.name ?? '', base) }))
  const [draft, setDraft] = useState(start.draft)
  const [isSubmitted, setIsSubmitted] = useState(false)
  const [server, setServer] = useState(NO_PROBLEMS)
  const known = types?.find(({ name }) => name === draft.type.trim())
  const kind = known === undefined || known.kind === 'system' ? start.base.effective.kind : known.kind
  const read = useMemo(() => readDraft(draft, start.base, kind), [draft, start, kind])
  const isDirty = draft !== start.draft
  const isReady = Object.keys(read.problems).length === 0 && read.jsonError === null
  useUnsaved(isDirty)

  function change(part: Partial<Draft>): void {
    setDraft({ ...draft, ...part })
    setServer(NO_PROBLEMS)
  }

  /** Empty required fields are named only after an attempt to save. */
  const problemOf = (key: string) =>
    server.problems[key] ?? (isSubmitted || !isRequired(key) ? read.problems[key] : undefined)

  function submit(event: FormEvent) {
    event.preventDefault()
    setIsSubmitted(true)
    if (!isReady) {
      requestAnimationFrame(() => document.querySelector<HTMLElement>('form [aria-invalid=true]')?.focus())
      return
    }
    onSubmit(draft.name.trim(), read.settings, (error) => setServer(serverErrorsOf(error)))
  }

  return (
    <form
      onSubmit={submit}
      noValidate
      className="grid grid-cols-1 items-start gap-4 lg:grid-cols-[minmax(0,1fr)_21rem]"
    >
      <div className="grid grid-cols-1 gap-4">
        <section aria-label="Job" className={`${PANEL} grid gap-3`}>
          {row === null && (
            <TextField
              label="Name"
              value={draft.name}
              onText={(name) => change({ name })}
              placeholder="nightly"
              maxLength={scheduleLimits.nameLength}
              help="unique; it cannot be changed later"
              problem={problemOf('name')}
            />
          )}
          <TypeField
            type={draft.type}
            names={(types ?? []).filter((one) => one.kind !== 'system').map(({ name }) => name)}
            hint={known ? 'known type' : 'a known type or a new name'}
            problem={problemOf('type') ?? null}
            onChange={(type) => change({ type })}
          />
        </section>
        <RuleFields draft={draft} declared={row?.declared ?? null} problemOf={problemOf} onChange={change} />
        <section aria-label="Payload" className={PANEL}>
          <h2 className="mb-2 font-semibold">Payload</h2>
          <JsonEditor
            text={draft.payload}
            error={read.jsonError}
            problems={[problemOf('payload')].filter((one) => one !== undefined)}
            onChange={(payload) => change({ payload })}
          />
        </section>
        <FormOptions draft={draft} declared={row?.declared ?? null} problemOf={problemOf} onChange={change} />
        {server.message !== null && (
          <p
            role="alert"
            data-tone="failed"
            className="rounded-lg bg-tone/8 px-4 py-2.5 text-tone-ink ring-1 ring-tone/20 wrap-anywhere"
          >
            {server.message}
          </p>
        )}
        <div className="flex flex-wrap items-center gap-2">
          <Button type="submit" weight="strong" needs="admin" disabled={isSaving || (row !== null && !isDirty)}>
            {isSaving ? 'Saving…' : submitLabel}
          </Button>
          <Button weight="quiet" onClick={onCancel}>
            {isDirty ? 'Discard changes' : 'Cancel'}
          </Button>
          {isSubmitted && !isReady && (
            <p role="alert" data-tone="failed" className="text-tone-ink">
              Fix the errors above.
            </p>
          )}
        </div>
      </div>
      <div className="max-lg:order-first lg:sticky lg:top-16">
        <Preview name={draft.name.trim()} read={read} />
      </div>
    </form>
  )
}

function isRequired(key: string): boolean {
  return key === 'name' || key === 'type'
}

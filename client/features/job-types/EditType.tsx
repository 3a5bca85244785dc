/** The overrides of one type: what its code declares is shown beside each, and clearing one lets that hold again. */
import { type FormEvent, useEffect, useRef, useState } from 'react'
import type { TypeSettings } from '../../../shared/settings.ts'
import { api } from '../../lib/api.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { toasts } from '../../ui/toasts.ts'
import { BackoffFields } from '../settings/form/BackoffFields.tsx'
import { backoffText } from '../settings/form/backoff-draft.ts'
import { type Field, shownOf } from '../settings/form/fields.ts'
import { useUnsaved } from '../settings/form/kept-edits.ts'
import { SettingField } from '../settings/form/SettingField.tsx'
import { NO_EDITS, useSettingsForm } from '../settings/form/use-settings-form.ts'
import { TYPE_FIELDS } from './type-fields.ts'
import type { TypeEntry } from './use-types.ts'

type Type = TypeEntry['type']

export function EditType({ type, onClose }: { type: Type; onClose: () => void }) {
  const { types } = api.useUtils()
  const update = api.types.update.useMutation()
  const state = useState(NO_EDITS)
  const form = useSettingsForm<TypeSettings>({ fields: TYPE_FIELDS, settings: type.override, nothing: {}, state })
  const [isAsking, setIsAsking] = useState(false)
  useUnsaved(form.isDirty)
  const close = () => (form.isDirty ? setIsAsking(true) : onClose())

  function save(event: FormEvent) {
    event.preventDefault()
    if (!form.check()) return
    update.mutate(
      { name: type.name, set: form.changes.set, clear: [...form.changes.clear] },
      {
        onSuccess: () => {
          toasts.say(`Saved the settings of ${type.name}.`)
          void types.list.invalidate()
          onClose()
        },
        onError: form.refuse,
      },
    )
  }

  return (
    <Dialog
      title={`Settings of ${type.name}`}
      description="What you set here goes before what the code declares, at once and without a restart. An empty field leaves it as it is."
      isOpen
      onClose={close}
    >
      <form onSubmit={save} className="grid gap-4" noValidate>
        <div className="grid gap-x-4 gap-y-3 sm:grid-cols-2">
          {TYPE_FIELDS.map((field) => (
            <SettingField
              key={field.key}
              field={field}
              text={form.textOf(field)}
              onText={(text) => form.edit(field.key, text)}
              inherited={inheritedOf(field, type)}
              problem={form.problems[field.key]}
              meanwhile={form.meanwhile[field.key]}
            />
          ))}
        </div>
        <BackoffFields
          draft={form.backoff}
          onDraft={form.editBackoff}
          inherited={inheritedBackoff(type)}
          problems={form.problems}
          meanwhile={form.meanwhile.backoff}
        />
        {form.message !== null && (
          <p role="alert" data-tone="failed" className="text-tone-ink wrap-anywhere">
            {form.message}
          </p>
        )}
        {isAsking ? (
          <Unsaved onStay={() => setIsAsking(false)} onLeave={onClose} />
        ) : (
          <div className="flex justify-end gap-2">
            <Button onClick={close}>Cancel</Button>
            <Button type="submit" weight="strong" needs="admin" disabled={!form.isDirty || update.isPending}>
              {update.isPending ? 'Saving…' : 'Save'}
            </Button>
          </div>
        )}
      </form>
    </Dialog>
  )
}

/** Asks in the place of the buttons: a dialog over a dialog would hide what it is about. */
function Unsaved({ onStay, onLeave }: { onStay: () => void; onLeave: () => void }) {
  const stay = useRef<HTMLButtonElement>(null)
  useEffect(() => stay.current?.focus(), [])
  return (
    <div role="alert" className="flex flex-wrap items-center justify-end gap-2">
      <p className="mr-auto">What you changed is not saved yet.</p>
      <Button ref={stay} onClick={onStay}>
        Keep editing
      </Button>
      <Button weight="danger" onClick={onLeave}>
        Discard it
      </Button>
    </div>
  )
}

/** What the code says; where it says nothing, what the queue's settings make of that. */
function inheritedOf(field: Field<TypeSettings>, { declared, override, effective }: Type): string {
  const value = field.read(declared)
  if (value !== undefined) return `declared: ${shownOf(field, value)}`
  if (field.isNullable) return field.key === 'burst' ? 'not declared: as the rate' : 'not declared: no limit'
  // The effective value is the inherited one only while nothing is set here.
  const now = field.read(override) === undefined ? field.read(effective) : undefined
  return now === undefined ? 'not declared: the queue’s' : `the queue’s: ${shownOf(field, now)}`
}

function inheritedBackoff({ declared, override, effective }: Type): string {
  if (declared.backoff) return `declared: ${backoffText(declared.backoff)}`
  return override.backoff ? 'not declared: the queue’s' : `the queue’s: ${backoffText(effective.backoff)}`
}

/** Dialog for the overrides of a type, each shown with the value declared in code. */
import { type FormEvent, useState } from 'react'
import type { TypeSettings } from '../../../shared/settings/settings.ts'
import { api } from '../../lib/api.ts'
import { toasts } from '../../lib/toasts.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { BackoffFields } from '../../ui/form/BackoffFields.tsx'
import { backoffText } from '../../ui/form/backoff-draft.ts'
import { DialogButtons } from '../../ui/form/DialogButtons.tsx'
import { type Field, formatValue } from '../../ui/form/fields.ts'
import { useUnsaved } from '../../ui/form/kept-edits.ts'
import { SettingField } from '../../ui/form/SettingField.tsx'
import { NO_EDITS, useSettingsForm } from '../../ui/form/use-settings-form.ts'
import { TYPE_FIELDS } from './type-fields.ts'
import type { TypeEntry } from './use-types.ts'

type Type = TypeEntry['type']

export function EditType({ type, onClose }: { type: Type; onClose: () => void }) {
  const { types } = api.useUtils()
  const update = api.types.update.useMutation()
  const state = useState(NO_EDITS)
  const form = useSettingsForm<TypeSettings>({ fields: TYPE_FIELDS, settings: type.override, none: {}, state })
  const [isClosing, setIsClosing] = useState(false)
  useUnsaved(form.isDirty)
  const close = () => (form.isDirty ? setIsClosing(true) : onClose())

  function save(event: FormEvent) {
    event.preventDefault()
    if (!form.check()) return
    update.mutate(
      { name: type.name, set: form.changes.set, clear: [...form.changes.clear] },
      {
        onSuccess: () => {
          toasts.show(`Saved settings of ${type.name}.`)
          void types.list.invalidate()
          onClose()
        },
        onError: form.showServerErrors,
      },
    )
  }

  return (
    <Dialog
      title={`Settings of ${type.name}`}
      description="Overrides the values declared in code, immediately and without a restart. Leave a field empty to keep the declared value."
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
              conflict={form.conflicts[field.key]}
            />
          ))}
        </div>
        <BackoffFields
          draft={form.backoff}
          onDraft={form.editBackoff}
          inherited={inheritedBackoff(type)}
          problems={form.problems}
          conflict={form.conflicts.backoff}
        />
        {form.message !== null && (
          <p role="alert" data-tone="failed" className="text-tone-ink wrap-anywhere">
            {form.message}
          </p>
        )}
        <DialogButtons
          isDirty={form.isDirty}
          isSaving={update.isPending}
          isClosing={isClosing}
          onCancel={close}
          onStay={() => setIsClosing(false)}
          onLeave={onClose}
        />
      </form>
    </Dialog>
  )
}

/** Value without the override: from code, else from the queue's settings. */
function inheritedOf(field: Field<TypeSettings>, { declared, override, effective }: Type): string {
  const value = field.read(declared)
  if (value !== undefined) return `declared: ${formatValue(field, value)}`
  if (field.isNullable) return field.key === 'burst' ? 'not declared: same as rate' : 'not declared: no limit'
  // The effective value is the inherited one only while there is no override.
  const now = field.read(override) === undefined ? field.read(effective) : undefined
  return now === undefined ? 'not declared: queue default' : `queue default: ${formatValue(field, now)}`
}

function inheritedBackoff({ declared, override, effective }: Type): string {
  if (declared.backoff) return `declared: ${backoffText(declared.backoff)}`
  return override.backoff ? 'not declared: queue default' : `queue default: ${backoffText(effective.backoff)}`
}

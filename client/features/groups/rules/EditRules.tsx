/** Dialog for the overrides of a group or of one key, each shown with the value below it. */
import { type FormEvent, useState } from 'react'
import type { GroupRules } from '../../../../shared/contracts/groups.ts'
import { type EffectiveGroupRules, effectiveGroupRules } from '../../../../shared/groups/rules.ts'
import { api } from '../../../lib/api.ts'
import { toasts } from '../../../lib/toasts.ts'
import { Dialog } from '../../../ui/Dialog.tsx'
import { DialogButtons } from '../../../ui/form/DialogButtons.tsx'
import { type Field, formatValue } from '../../../ui/form/fields.ts'
import { useUnsaved } from '../../../ui/form/kept-edits.ts'
import { SettingField } from '../../../ui/form/SettingField.tsx'
import { NO_EDITS, useSettingsForm } from '../../../ui/form/use-settings-form.ts'
import { GROUP_FIELDS, KEY_FIELDS, type RuleSettings } from './rule-fields.ts'

export interface EditRulesProps {
  readonly group: { readonly name: string; readonly declared: GroupRules; readonly effective: EffectiveGroupRules }
  /** null: the whole group. */
  readonly keyName: string | null
  /** Overrides of the group, or of the key. */
  readonly override: GroupRules
  readonly onClose: () => void
}

export function EditRules({ group, keyName, override, onClose }: EditRulesProps) {
  const { groups } = api.useUtils()
  const update = api.groups.update.useMutation()
  const state = useState(NO_EDITS)
  const fields = keyName === null ? GROUP_FIELDS : KEY_FIELDS
  const form = useSettingsForm<RuleSettings>({ fields, settings: override, none: {}, state })
  const [isClosing, setIsClosing] = useState(false)
  useUnsaved(form.isDirty)
  const close = () => (form.isDirty ? setIsClosing(true) : onClose())
  const subject = keyName ?? group.name

  function save(event: FormEvent) {
    event.preventDefault()
    if (!form.check()) return
    const clear = form.changes.clear.filter((rule) => rule !== 'backoff')
    update.mutate(
      { name: group.name, ...(keyName !== null && { key: keyName }), set: form.changes.set, clear },
      {
        onSuccess: () => {
          toasts.show(`Saved limits of ${subject}.`)
          void groups.invalidate()
          onClose()
        },
        onError: form.showServerErrors,
      },
    )
  }

  return (
    <Dialog
      title={`Limits of ${subject}`}
      description={keyName === null ? OF_GROUP : `${OF_KEY} ${group.name}.`}
      isOpen
      onClose={close}
    >
      <form onSubmit={save} className="grid gap-4" noValidate>
        <div className="grid gap-x-4 gap-y-3 sm:grid-cols-2">
          {fields.map((field) => (
            <SettingField
              key={field.key}
              field={field}
              text={form.textOf(field)}
              onText={(text) => form.edit(field.key, text)}
              inherited={keyName === null ? declaredOf(field, group.declared) : groupValueOf(field, group.effective)}
              problem={form.problems[field.key]}
              conflict={form.conflicts[field.key]}
            />
          ))}
        </div>
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

const OF_GROUP =
  'Overrides the rules declared in code, immediately and without a restart. They hold for each key. Leave a field empty to keep the declared rule.'
const OF_KEY = 'Overrides the rules of the group for this key alone. Leave a field empty to follow'

function declaredOf(field: Field<RuleSettings>, declared: GroupRules): string {
  const value = field.read(declared)
  if (value !== undefined) return `declared: ${formatValue(field, value)}`
  return `not declared: ${formatValue(field, field.read(effectiveGroupRules(declared)) ?? null)}`
}

function groupValueOf(field: Field<RuleSettings>, effective: EffectiveGroupRules): string {
  return `group: ${formatValue(field, field.read(effective) ?? null)}`
}

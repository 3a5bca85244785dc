/** Form for the queue's limits and defaults. An empty field uses the server's configuration. */
import type { FormEvent } from 'react'
import type { QueueSettings } from '../../../../shared/settings/settings.ts'
import { api } from '../../../lib/api.ts'
import { toasts } from '../../../lib/toasts.ts'
import { MissingScope } from '../../../session/MissingScope.tsx'
import { useHasScope } from '../../../session/use-session.ts'
import { BackoffFields } from '../../../ui/form/BackoffFields.tsx'
import type { Field } from '../../../ui/form/fields.ts'
import { keepEdits, useKeptEdits } from '../../../ui/form/kept-edits.ts'
import { SaveBar } from '../../../ui/form/SaveBar.tsx'
import { SettingField } from '../../../ui/form/SettingField.tsx'
import { NO_EDITS, useSettingsForm } from '../../../ui/form/use-settings-form.ts'
import { Panel } from '../../../ui/Panel.tsx'
import { COMMAND_FIELDS, FLOW_FIELDS, QUEUE_FIELDS } from './queue-fields.ts'

const EDITS = keepEdits(NO_EDITS)

export function QueueForm({ settings }: { settings: QueueSettings }) {
  const utils = api.useUtils()
  const update = api.settings.update.useMutation()
  const state = useKeptEdits(EDITS)
  const form = useSettingsForm<QueueSettings>({ fields: QUEUE_FIELDS, settings, none: {}, state })

  function save(event: FormEvent) {
    event.preventDefault()
    if (!form.check()) return
    update.mutate(
      { set: form.changes.set, clear: [...form.changes.clear] },
      {
        onSuccess: async () => {
          await utils.settings.get.invalidate()
          form.reset()
          toasts.show('Settings saved.')
        },
        onError: form.showServerErrors,
      },
    )
  }

  const show = (field: Field<QueueSettings>) => (
    <SettingField
      key={field.key}
      field={field}
      text={form.textOf(field)}
      onText={(text) => form.edit(field.key, text)}
      inherited={inheritedOf(field, form.textOf(field) !== '')}
      problem={form.problems[field.key]}
      conflict={form.conflicts[field.key]}
    />
  )

  return (
    <form onSubmit={save} noValidate>
      <MissingScope scope="admin">
        Read-only. Editing requires the <code>admin</code> scope.
      </MissingScope>
      <fieldset disabled={!useHasScope('admin')} className="grid gap-5">
        <Panel title="Limits and defaults">
          <div className="grid gap-x-5 gap-y-3 sm:grid-cols-2 lg:grid-cols-3">{FLOW_FIELDS.map(show)}</div>
          <div className="mt-3">
            <BackoffFields
              draft={form.backoff}
              onDraft={form.editBackoff}
              inherited="server default"
              problems={form.problems}
              conflict={form.conflicts.backoff}
            />
          </div>
        </Panel>
        <Panel title="Shell jobs (queuectl)">
          <div className="grid gap-x-5 gap-y-3 sm:grid-cols-2 lg:grid-cols-3">{COMMAND_FIELDS.map(show)}</div>
        </Panel>
        <SaveBar message={form.message} isDirty={form.isDirty} isSaving={update.isPending} onReset={form.reset} />
      </fieldset>
    </form>
  )
}

function inheritedOf({ key, isNullable }: Field<QueueSettings>, isSet: boolean): string {
  const value = isNullable ? (key === 'burst' ? 'same as rate' : 'no limit') : 'server default'
  return isSet ? `when empty: ${value}` : value
}

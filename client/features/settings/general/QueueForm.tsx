/** The numbers that hold for the whole queue. An empty field leaves it to the server's configuration. */
import type { FormEvent } from 'react'
import type { QueueSettings } from '../../../../shared/settings.ts'
import { api } from '../../../lib/api.ts'
import { Lacking } from '../../../session/MissingScope.tsx'
import { useMay } from '../../../session/use-session.ts'
import { Panel } from '../../../ui/Panel.tsx'
import { toasts } from '../../../ui/toasts.ts'
import { BackoffFields } from '../form/BackoffFields.tsx'
import type { Field } from '../form/fields.ts'
import { keepEdits, useKeptEdits } from '../form/kept-edits.ts'
import { SaveBar } from '../form/SaveBar.tsx'
import { SettingField } from '../form/SettingField.tsx'
import { NO_EDITS, useSettingsForm } from '../form/use-settings-form.ts'
import { COMMAND_FIELDS, FLOW_FIELDS, QUEUE_FIELDS } from './queue-fields.ts'

const EDITS = keepEdits(NO_EDITS)

export function QueueForm({ settings }: { settings: QueueSettings }) {
  const utils = api.useUtils()
  const update = api.settings.update.useMutation()
  const state = useKeptEdits(EDITS)
  const form = useSettingsForm<QueueSettings>({ fields: QUEUE_FIELDS, settings, nothing: {}, state })

  function save(event: FormEvent) {
    event.preventDefault()
    if (!form.check()) return
    update.mutate(
      { set: form.changes.set, clear: [...form.changes.clear] },
      {
        onSuccess: async () => {
          await utils.settings.get.invalidate()
          form.reset()
          toasts.say('Saved; it holds from now on.')
        },
        onError: form.refuse,
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
      meanwhile={form.meanwhile[field.key]}
    />
  )

  return (
    <form onSubmit={save} noValidate>
      <Lacking scope="admin">Only to look at: to change any of it, your token needs the scope admin.</Lacking>
      <fieldset disabled={!useMay('admin')} className="grid gap-5">
        <Panel title="Limits and defaults">
          <div className="grid gap-x-5 gap-y-3 sm:grid-cols-2 lg:grid-cols-3">{FLOW_FIELDS.map(show)}</div>
          <div className="mt-3">
            <BackoffFields
              draft={form.backoff}
              onDraft={form.editBackoff}
              inherited="the server’s default"
              problems={form.problems}
              meanwhile={form.meanwhile.backoff}
            />
          </div>
        </Panel>
        <Panel title="Commands of queuectl">
          <div className="grid gap-x-5 gap-y-3 sm:grid-cols-2 lg:grid-cols-3">{COMMAND_FIELDS.map(show)}</div>
        </Panel>
        <SaveBar message={form.message} isDirty={form.isDirty} isSaving={update.isPending} onReset={form.reset} />
      </fieldset>
    </form>
  )
}

function inheritedOf({ key, isNullable }: Field<QueueSettings>, isSet: boolean): string {
  const value = isNullable ? (key === 'burst' ? 'as the rate' : 'no limit') : 'the server’s default'
  return isSet ? `otherwise ${value}` : value
}

/** Form for webhook URLs, overall and by type prefix, and the signing secret. */
import { type FormEvent, useState } from 'react'
import type { QueueSettings } from '../../../../shared/settings/settings.ts'
import { api } from '../../../lib/api.ts'
import { toasts } from '../../../lib/toasts.ts'
import { MissingScope } from '../../../session/MissingScope.tsx'
import { useHasScope } from '../../../session/use-session.ts'
import { Button } from '../../../ui/Button.tsx'
import { keepEdits, useKeptEdits } from '../../../ui/form/kept-edits.ts'
import { SaveBar } from '../../../ui/form/SaveBar.tsx'
import { type ServerErrors, serverErrorsOf } from '../../../ui/form/server-errors.ts'
import { TextField } from '../../../ui/form/TextField.tsx'
import { Panel } from '../../../ui/Panel.tsx'
import { Prefixes } from './Prefixes.tsx'
import { type WebhookDraft, webhookChanges, webhookDraft } from './webhook-draft.ts'

const FIELDS = ['webhookUrl', 'webhookSecret']

const EDITS = keepEdits<WebhookDraft | null>(null)

export function WebhookForm({ settings }: { settings: QueueSettings }) {
  const utils = api.useUtils()
  const update = api.settings.update.useMutation()
  const [edited, setEdited] = useKeptEdits(EDITS)
  const [errors, setErrors] = useState<ServerErrors | null>(null)
  const draft = edited ?? webhookDraft(settings)
  const changes = webhookChanges(draft, settings)
  const isDirty = Object.keys(changes.set).length + changes.clear.length > 0
  const hasSecret = settings.webhookSecret !== undefined && !draft.isSecretCleared

  function edit(change: Partial<WebhookDraft>) {
    setEdited({ ...draft, ...change })
    setErrors(null)
  }

  function reset() {
    setEdited(null)
    setErrors(null)
  }

  function save(event: FormEvent) {
    event.preventDefault()
    update.mutate(changes, {
      onSuccess: async () => {
        await utils.settings.get.invalidate()
        reset()
        toasts.show('Webhooks saved.')
      },
      onError: (error) => setErrors(serverErrorsOf(error)),
    })
  }

  const problems = errors?.problems ?? {}
  const isShownAtFields =
    errors !== null &&
    Object.keys(problems).length > 0 &&
    Object.keys(problems).every((path) => FIELDS.includes(path) || path.startsWith('webhookUrls'))
  return (
    <form onSubmit={save} noValidate>
      <MissingScope scope="admin">
        Read-only. Editing requires the <code>admin</code> scope.
      </MissingScope>
      <fieldset disabled={!useHasScope('admin')} className="grid gap-5">
        <Panel title="Webhooks">
          <p className="mb-4 max-w-prose text-muted">
            Sends a request to your URL when a job fails permanently. Deliveries are{' '}
            <code className="font-mono text-xs">millrace.webhook</code> jobs of this queue and are retried on errors.
          </p>
          <div className="grid max-w-2xl gap-4">
            <TextField
              label="URL for all types"
              type="url"
              placeholder="off"
              value={draft.url}
              onText={(url) => edit({ url })}
              problem={problems.webhookUrl}
            />
            <Prefixes prefixes={draft.prefixes} onPrefixes={(prefixes) => edit({ prefixes })} problems={problems} />
            <TextField
              label="Secret"
              type="password"
              autoComplete="new-password"
              placeholder={hasSecret ? 'set; enter a new one to replace it' : 'not set: deliveries are not signed'}
              value={draft.secret}
              onText={(secret) => edit({ secret })}
              problem={problems.webhookSecret}
              help="Signs deliveries. It can be replaced or cleared, but not read."
              beside={
                hasSecret && (
                  <Button
                    isSmall
                    weight="quiet"
                    aria-label="Clear: Secret"
                    onClick={() => edit({ secret: '', isSecretCleared: true })}
                  >
                    Clear
                  </Button>
                )
              }
            />
          </div>
        </Panel>
        <SaveBar
          message={isShownAtFields ? null : (errors?.message ?? null)}
          isDirty={isDirty}
          isSaving={update.isPending}
          onReset={reset}
        />
      </fieldset>
    </form>
  )
}

/** Addresses that are told of jobs that failed for good, by type if wanted, and the secret that signs what they get. */
import { type FormEvent, useState } from 'react'
import type { QueueSettings } from '../../../../shared/settings.ts'
import { api } from '../../../lib/api.ts'
import { Lacking } from '../../../session/MissingScope.tsx'
import { useMay } from '../../../session/use-session.ts'
import { Button } from '../../../ui/Button.tsx'
import { Panel } from '../../../ui/Panel.tsx'
import { toasts } from '../../../ui/toasts.ts'
import { keepEdits, useKeptEdits } from '../form/kept-edits.ts'
import { type Refusal, refusalOf } from '../form/refusal.ts'
import { SaveBar } from '../form/SaveBar.tsx'
import { TextField } from '../form/TextField.tsx'
import { Prefixes } from './Prefixes.tsx'
import { type WebhookDraft, webhookChanges, webhookDraft } from './webhook-draft.ts'

const FIELDS = ['webhookUrl', 'webhookSecret']

const EDITS = keepEdits<WebhookDraft | null>(null)

export function WebhookForm({ settings }: { settings: QueueSettings }) {
  const utils = api.useUtils()
  const update = api.settings.update.useMutation()
  const [edited, setEdited] = useKeptEdits(EDITS)
  const [refusal, setRefusal] = useState<Refusal | null>(null)
  const draft = edited ?? webhookDraft(settings)
  const changes = webhookChanges(draft, settings)
  const isDirty = Object.keys(changes.set).length + changes.clear.length > 0
  const hasSecret = settings.webhookSecret !== undefined && !draft.isSecretCleared

  function edit(change: Partial<WebhookDraft>) {
    setEdited({ ...draft, ...change })
    setRefusal(null)
  }

  function reset() {
    setEdited(null)
    setRefusal(null)
  }

  function save(event: FormEvent) {
    event.preventDefault()
    update.mutate(changes, {
      onSuccess: async () => {
        await utils.settings.get.invalidate()
        reset()
        toasts.say('Saved; the next failure goes there.')
      },
      onError: (error) => setRefusal(refusalOf(error)),
    })
  }

  const problems = refusal?.problems ?? {}
  const isSaid =
    refusal !== null &&
    Object.keys(problems).length > 0 &&
    Object.keys(problems).every((place) => FIELDS.includes(place) || place.startsWith('webhookUrls'))
  return (
    <form onSubmit={save} noValidate>
      <Lacking scope="admin">Only to look at: to change any of it, your token needs the scope admin.</Lacking>
      <fieldset disabled={!useMay('admin')} className="grid gap-5">
        <Panel title="Webhooks">
          <p className="mb-4 max-w-prose text-muted">
            A job that fails for good is told to an address of yours, as a job of its own: tried again when that does
            not answer, and visible in the queue as <code className="font-mono text-xs">millrace.webhook</code>.
          </p>
          <div className="grid max-w-2xl gap-4">
            <TextField
              label="Address for every type"
              type="url"
              placeholder="nobody is told"
              value={draft.url}
              onText={(url) => edit({ url })}
              problem={problems.webhookUrl}
            />
            <Prefixes prefixes={draft.prefixes} onPrefixes={(prefixes) => edit({ prefixes })} problems={problems} />
            <TextField
              label="Secret"
              type="password"
              autoComplete="new-password"
              placeholder={hasSecret ? 'set; type a new one to replace it' : 'deliveries are not signed'}
              value={draft.secret}
              onText={(secret) => edit({ secret })}
              problem={problems.webhookSecret}
              help="Deliveries are signed with it. It can be set and cleared, and never read."
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
          message={isSaid ? null : (refusal?.message ?? null)}
          isDirty={isDirty}
          isSaving={update.isPending}
          onReset={reset}
        />
      </fieldset>
    </form>
  )
}

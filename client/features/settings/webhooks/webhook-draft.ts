/** Webhook settings as form input, and the changes to send. */
import type { QueueSettings } from '../../../../shared/settings/settings.ts'

export interface PrefixDraft {
  /** Stable key of the row while it is edited. */
  readonly row: number
  readonly prefix: string
  /** '': webhooks are off for this prefix. */
  readonly url: string
}

export interface WebhookDraft {
  readonly url: string
  readonly prefixes: readonly PrefixDraft[]
  /** '': unchanged. */
  readonly secret: string
  readonly isSecretCleared: boolean
}

export interface WebhookChanges {
  readonly set: Pick<QueueSettings, 'webhookUrl' | 'webhookUrls' | 'webhookSecret'>
  readonly clear: ('webhookUrl' | 'webhookUrls' | 'webhookSecret')[]
}

export function webhookDraft({ webhookUrl, webhookUrls = {} }: QueueSettings): WebhookDraft {
  const prefixes = Object.entries(webhookUrls).map(([prefix, url], row) => ({ row, prefix, url: url ?? '' }))
  return { url: webhookUrl ?? '', prefixes, secret: '', isSecretCleared: false }
}

export function webhookChanges(draft: WebhookDraft, settings: QueueSettings): WebhookChanges {
  const before = webhookDraft(settings)
  const set: { -readonly [Key in keyof WebhookChanges['set']]: WebhookChanges['set'][Key] } = {}
  const clear: WebhookChanges['clear'] = []
  const url = draft.url.trim()
  if (url !== before.url) {
    if (url === '') clear.push('webhookUrl')
    else set.webhookUrl = url
  }
  const urls = urlsOf(draft)
  if (JSON.stringify(urls) !== JSON.stringify(urlsOf(before))) {
    if (Object.keys(urls).length === 0) clear.push('webhookUrls')
    else set.webhookUrls = urls
  }
  if (draft.secret !== '') set.webhookSecret = draft.secret
  else if (draft.isSecretCleared) clear.push('webhookSecret')
  return { set, clear }
}

/** Ignores rows without a prefix. */
function urlsOf({ prefixes }: WebhookDraft): Record<string, string | null> {
  const named = prefixes.filter(({ prefix }) => prefix !== '')
  return Object.fromEntries(named.map(({ prefix, url }) => [prefix, url.trim() === '' ? null : url.trim()]))
}

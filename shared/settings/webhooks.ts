/** Webhook settings and the choice of the URL for a permanently failed job. */
import { z } from 'zod'
import { RESERVED_PREFIX } from '../reserved-types.ts'

/** Shown in place of a secret; rejected as a new value. */
export const HIDDEN = '(hidden, write-only)'

const MAX_URL = 2_000
const MAX_PREFIXES = 50

const webhookUrl = z.string().max(MAX_URL).refine(isAllowed, 'must be an http or https address without credentials')

export const webhookSettings = {
  /** URL that receives a POST when a job fails permanently, unless `webhookUrls` has one for its type; default: none. */
  webhookUrl: webhookUrl.nullable().optional(),
  /** URLs by type prefix; the longest matching prefix wins, and null turns it off; default: none. */
  webhookUrls: z
    .record(
      z
        .string()
        .min(1)
        .max(255)
        .regex(/^[^\p{Cc}\p{Cs}]+$/u),
      webhookUrl.nullable(),
    )
    .refine((urls) => Object.keys(urls).length <= MAX_PREFIXES, `must be at most ${MAX_PREFIXES} prefixes`)
    .optional(),
  /** Secret that signs deliveries (`Millrace-Signature`); write-only; default: unsigned. */
  webhookSecret: z
    .string()
    .min(16)
    .max(200)
    .regex(/^[\x20-\x7e]+$/, 'must be printable ASCII characters')
    .refine((secret) => secret !== HIDDEN, 'must be the secret itself')
    .optional(),
}

/** The JSON body of a delivery. */
export interface WebhookBody {
  /** The id of the delivery, the same for every attempt: use it to ignore duplicates. */
  readonly id: string
  /** What happened. */
  readonly event: 'job.failed'
  /** The job that failed: `id`, `type`, `attempts`, `error`, and `failedAt` in milliseconds UTC. */
  readonly job: {
    readonly id: string
    readonly type: string
    readonly attempts: number
    readonly error: string | null
    readonly failedAt: number | null
  }
}

interface WebhookSettings {
  readonly webhookUrl?: string | null | undefined
  readonly webhookUrls?: Readonly<Record<string, string | null>> | undefined
}

/** The URL for failures of this type; null: none. Failed webhook deliveries do not trigger webhooks. */
export function webhookFor(type: string, { webhookUrl: url, webhookUrls = {} }: WebhookSettings): string | null {
  if (type.startsWith(RESERVED_PREFIX)) return null
  const prefixes = Object.keys(webhookUrls).filter((prefix) => type.startsWith(prefix))
  const longest = prefixes.reduce((best, prefix) => (prefix.length > best.length ? prefix : best), '')
  return (longest === '' ? url : webhookUrls[longest]) ?? null
}

export function hasWebhooks({ webhookUrl: url, webhookUrls = {} }: WebhookSettings): boolean {
  return [url, ...Object.values(webhookUrls)].some((one) => typeof one === 'string')
}

/** Replaces secrets for responses, the audit trail and terminals. */
export function hideSecrets<Settings extends { readonly webhookSecret?: string | undefined }>(
  settings: Settings,
): Settings {
  return settings.webhookSecret === undefined ? settings : { ...settings, webhookSecret: HIDDEN }
}

/** Private addresses are allowed: receivers are often internal, and only operators can set a URL. */
function isAllowed(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, username, password, hostname } = new URL(text)
  return /^https?:$/.test(protocol) && hostname !== '' && username === '' && password === ''
}

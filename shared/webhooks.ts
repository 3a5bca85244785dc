/** Webhooks for jobs that failed for good: their settings and whom a failure concerns. */
import { z } from 'zod'
import { OWN_TYPES } from './reserved-types.ts'

/** What a secret looks like to everybody but the one who delivers; as a new value it is refused. */
export const HIDDEN = '(hidden, write-only)'

const MAX_URL = 2_000
const MAX_PREFIXES = 50

const webhookUrl = z.string().max(MAX_URL).refine(isAllowed, 'must be an http or https address without credentials')

export const webhookSettings = {
  /** The address that gets a POST when a job fails for good, unless `webhookUrls` has one for its type; default: none. */
  webhookUrl: webhookUrl.nullable().optional(),
  /** Addresses by the beginning of type names; the longest match counts, and null means none; default: none. */
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
  /** The secret that signs deliveries (`Millrace-Signature`); it can be set and cleared, and never read; default: unsigned. */
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
  /** The id of the delivery, the same for every attempt: ignore one that you have seen. */
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

/** Where a failure of this type is told; null: nowhere. What tells of failures causes no news of its own. */
export function webhookFor(type: string, { webhookUrl: url, webhookUrls = {} }: WebhookSettings): string | null {
  if (type.startsWith(OWN_TYPES)) return null
  const prefixes = Object.keys(webhookUrls).filter((prefix) => type.startsWith(prefix))
  const longest = prefixes.reduce((best, prefix) => (prefix.length > best.length ? prefix : best), '')
  return (longest === '' ? url : webhookUrls[longest]) ?? null
}

export function hasWebhooks({ webhookUrl: url, webhookUrls = {} }: WebhookSettings): boolean {
  return [url, ...Object.values(webhookUrls)].some((one) => typeof one === 'string')
}

/** For whoever only looks: answers, the audit trail, terminals. */
export function hideSecrets<Settings extends { readonly webhookSecret?: string | undefined }>(
  settings: Settings,
): Settings {
  return settings.webhookSecret === undefined ? settings : { ...settings, webhookSecret: HIDDEN }
}

/** Private addresses are allowed: receivers often live there, and only operators can set one. */
function isAllowed(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, username, password, hostname } = new URL(text)
  return /^https?:$/.test(protocol) && hostname !== '' && username === '' && password === ''
}

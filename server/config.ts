/** Settings from the environment, validated once at the edge; nothing below reads process.env. */
import { z } from 'zod'
import { type Backoff, backoffSchema, DEFAULT_BACKOFF } from '../shared/backoff.ts'
import { DAY, limits, MINUTE } from '../shared/limits.ts'
import { DEFAULTS, type Defaults } from '../shared/type-settings.ts'

const whole = (min: number, max: number) => z.coerce.number().int().min(min).max(max)

const environment = z.object({
  DATABASE_URL: z.string().min(1).optional(),
  DB_PATH: z.string().min(1).default('./data/queue.db'),
  DURABILITY: z.enum(['full', 'normal']).default('full'),
  MAX_DATABASE_BYTES: whole(1_048_576, 2 ** 45).optional(),
  JOB_TIMEOUT_MINUTES: whole(1, 7 * 24 * 60).default(30),
  MAX_PAYLOAD_BYTES: whole(1, 32 * 1024 * 1024).default(limits.payloadBytes),
  CLEANUP_AFTER_DAYS: z.coerce.number().min(0).max(3_650).default(30),
  MAX_ATTEMPTS: whole(1, limits.attempts).default(DEFAULTS.maxAttempts),
  BACKOFF_KIND: z.enum(['fixed', 'linear', 'exponential']).default('exponential'),
  BACKOFF_BASE_MS: whole(0, 30 * DAY).optional(),
  BACKOFF_FACTOR: z.coerce.number().min(1).max(100).optional(),
  BACKOFF_CAP_MS: whole(0, 30 * DAY).optional(),
  BACKOFF_JITTER: z.coerce.number().min(0).max(1).optional(),
})

export interface Config {
  readonly url: string
  readonly durability: 'full' | 'normal'
  /** SQLite only: the file refuses to grow past this. */
  readonly maxDatabaseBytes: number | null
  readonly maxPayloadBytes: number
  readonly defaults: Defaults
}

/** Throws one error that names every setting that is off. */
export function readConfig(env: Readonly<Record<string, string | undefined>> = process.env): Config {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''))
  const parsed = environment.safeParse(given)
  if (!parsed.success) {
    const lines = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
    throw new Error(`Settings that cannot be used: ${lines.join('; ')}. See .env.example.`)
  }
  const settings = parsed.data
  return {
    url: settings.DATABASE_URL ?? `sqlite:${settings.DB_PATH}`,
    durability: settings.DURABILITY,
    maxDatabaseBytes: settings.MAX_DATABASE_BYTES ?? null,
    maxPayloadBytes: settings.MAX_PAYLOAD_BYTES,
    defaults: {
      ...DEFAULTS,
      maxAttempts: settings.MAX_ATTEMPTS,
      retentionMs: Math.round(settings.CLEANUP_AFTER_DAYS * DAY),
      leaseMs: settings.JOB_TIMEOUT_MINUTES * MINUTE,
      backoff: readBackoff(settings),
    },
  }
}

function readBackoff(settings: z.output<typeof environment>): Backoff {
  const { BACKOFF_KIND: kind, BACKOFF_BASE_MS: baseMs, BACKOFF_FACTOR: factor, BACKOFF_CAP_MS: capMs } = settings
  const jitter = settings.BACKOFF_JITTER
  if (kind === 'fixed') return backoffSchema.parse({ kind, baseMs: baseMs ?? DEFAULT_BACKOFF.baseMs, jitter })
  if (kind === 'linear') return backoffSchema.parse({ kind, baseMs, capMs, jitter })
  return backoffSchema.parse({ kind, baseMs, factor, capMs, jitter })
}

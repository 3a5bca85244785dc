/** Settings from the environment, validated once at the edge; nothing below reads process.env. */
import { z } from 'zod'
import { type Backoff, backoffSchema, DEFAULT_BACKOFF } from '../../../shared/backoff.ts'
import { DAY, limits, MINUTE } from '../../../shared/limits.ts'
import { DEFAULTS, type Defaults } from '../../../shared/settings.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** A setting that cannot be used; the message says which and what would do. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

export function number(min: number, max: number) {
  const rule = `must be a number from ${min} to ${max}`
  return decimal(rule).pipe(z.number().min(min, rule).max(max, rule))
}

export function whole(min: number, max: number) {
  const rule = `must be a whole number from ${min} to ${max}`
  return decimal(rule).pipe(z.number().int(rule).min(min, rule).max(max, rule))
}

/** Plainly written: 0x10 and 1e3 are numbers to JavaScript and surprises to people. */
function decimal(rule: string) {
  return z
    .string()
    .regex(/^\d+(?:\.\d+)?$/, rule)
    .transform(Number)
}

export function oneOf<const Words extends readonly [string, ...string[]]>(words: Words) {
  return z.enum(words, { error: `must be ${words.slice(0, -1).join(', ')} or ${words.at(-1)}` })
}

export const engineSettings = z.object({
  DATABASE_URL: z.string().optional(),
  DB_PATH: z.string().default('./data/queue.db'),
  DURABILITY: oneOf(['full', 'normal']).default('full'),
  MAX_DATABASE_BYTES: whole(1_048_576, 2 ** 45).optional(),
  JOB_TIMEOUT_MINUTES: whole(1, 7 * 24 * 60).default(30),
  MAX_PAYLOAD_BYTES: whole(1, 32 * 1024 * 1024).default(limits.payloadBytes),
  CLEANUP_AFTER_DAYS: number(0, 3_650).default(30),
  MAX_ATTEMPTS: whole(1, limits.attempts).default(DEFAULTS.maxAttempts),
  BACKOFF_KIND: oneOf(['fixed', 'linear', 'exponential']).default('exponential'),
  BACKOFF_BASE_MS: whole(0, 30 * DAY).optional(),
  BACKOFF_FACTOR: number(1, 100).optional(),
  BACKOFF_CAP_MS: whole(0, 30 * DAY).optional(),
  BACKOFF_JITTER: number(0, 1).optional(),
})

export const ENGINE_SETTINGS: readonly string[] = Object.keys(engineSettings.shape)

/** What `readConfig` makes of the environment. */
export interface Config {
  /** The address of the database. */
  readonly url: string
  /**
   * `full`: an acknowledged job survives power loss. `normal`: faster, and it survives a crash of the process only; default
   * `full`.
   */
  readonly durability: 'full' | 'normal'
  /** SQLite only: new jobs are refused when the file has nearly this size; null: no limit; default null. */
  readonly maxDatabaseBytes: number | null
  /** The largest payload of one job, in bytes of JSON; default 1 MiB. */
  readonly maxPayloadBytes: number
  /** Attempts, backoff, retention and lease where neither job, type nor queue settings say. */
  readonly defaults: Defaults
}

/** Throws one ConfigError that names every setting that is off. */
export function readConfig(env: Environment = process.env): Config {
  const given = parseSettings(engineSettings, env)
  return {
    url: given.DATABASE_URL ?? `sqlite:${given.DB_PATH}`,
    durability: given.DURABILITY,
    maxDatabaseBytes: given.MAX_DATABASE_BYTES ?? null,
    maxPayloadBytes: given.MAX_PAYLOAD_BYTES,
    defaults: {
      ...DEFAULTS,
      maxAttempts: given.MAX_ATTEMPTS,
      retentionMs: Math.round(given.CLEANUP_AFTER_DAYS * DAY),
      leaseMs: given.JOB_TIMEOUT_MINUTES * MINUTE,
      backoff: readBackoff(given),
    },
  }
}

/** An empty variable counts as not set: that is how shells and compose files leave one out. */
export function parseSettings<Output>(schema: z.ZodType<Output>, env: Environment): Output {
  const trimmed = Object.entries(env).map(([name, value]) => [name, value?.trim() ?? ''] as const)
  const given = Object.fromEntries(trimmed.filter(([, value]) => value !== ''))
  const parsed = schema.safeParse(given)
  if (parsed.success) return parsed.data
  const lines = parsed.error.issues.map(({ path, message }) => {
    const name = path.join('.')
    // A secret has no place in a terminal or a log.
    return name === 'AUTH_TOKEN' ? `${name}: ${message}` : `${name}=${given[name] ?? ''}: ${message}`
  })
  throw new ConfigError(`Cannot use ${lines.join('; ')}. All settings and their defaults are in .env.example.`)
}

export function processEnvironment(): Environment {
  return process.env
}

function readBackoff(given: z.output<typeof engineSettings>): Backoff {
  const { BACKOFF_KIND: kind, BACKOFF_BASE_MS: baseMs, BACKOFF_FACTOR: factor, BACKOFF_CAP_MS: capMs } = given
  const jitter = given.BACKOFF_JITTER
  if (kind === 'fixed') return backoffSchema.parse({ kind, baseMs: baseMs ?? DEFAULT_BACKOFF.baseMs, jitter })
  if (kind === 'linear') return backoffSchema.parse({ kind, baseMs, capMs, jitter })
  // Whoever changes the growth gets that growth, up to the cap.
  const isGiven = [baseMs, factor, capMs].some((value) => value !== undefined)
  const capFrom = isGiven ? undefined : DEFAULT_BACKOFF.capFrom
  return backoffSchema.parse({ kind, baseMs, factor, capMs, capFrom, jitter })
}

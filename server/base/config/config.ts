/** Engine settings from environment variables, validated once at the start. */
import { z } from 'zod'
import { DAY, limits, MINUTE } from '../../../shared/limits.ts'
import { type Backoff, backoffSchema, DEFAULT_BACKOFF } from '../../../shared/settings/backoff.ts'
import { DEFAULTS, type Defaults } from '../../../shared/settings/settings.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** An invalid setting; the message names it and the allowed values. */
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

/** Decimal notation only: 0x10 and 1e3 are probably mistakes. */
function decimal(rule: string) {
  return z
    .string()
    .regex(/^\d+(?:\.\d+)?$/, rule)
    .transform(Number)
}

export function oneOf<const Values extends readonly [string, ...string[]]>(values: Values) {
  return z.enum(values, { error: `must be ${values.slice(0, -1).join(', ')} or ${values.at(-1)}` })
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

/** Configuration of an engine, from `readConfig`. */
export interface Config {
  /** The address of the database. */
  readonly url: string
  /**
   * `full`: an acknowledged job survives power loss. `normal`: faster; it survives only a crash of the process; default
   * `full`.
   */
  readonly durability: 'full' | 'normal'
  /** SQLite only: new jobs are rejected when the file has nearly this size; null: no limit; default null. */
  readonly maxDatabaseBytes: number | null
  /** The largest payload of one job, in bytes of JSON; default 1 MiB. */
  readonly maxPayloadBytes: number
  /** Attempts, backoff, retention and lease for jobs whose own, type and queue settings do not set them. */
  readonly defaults: Defaults
}

/** Reads the configuration of an engine from environment variables. Throws one ConfigError that lists every invalid setting. */
export function readConfig(env: Environment = process.env): Config {
  const settings = parseSettings(engineSettings, env)
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

/** An empty variable counts as unset, because shells and compose files cannot omit one. */
export function parseSettings<Output>(schema: z.ZodType<Output>, env: Environment): Output {
  const trimmed = Object.entries(env).map(([name, value]) => [name, value?.trim() ?? ''] as const)
  const settings = Object.fromEntries(trimmed.filter(([, value]) => value !== ''))
  const parsed = schema.safeParse(settings)
  if (parsed.success) return parsed.data
  const lines = parsed.error.issues.map(({ path, message }) => {
    const name = path.join('.')
    // Never prints the secret.
    return name === 'AUTH_TOKEN' ? `${name}: ${message}` : `${name}=${settings[name] ?? ''}: ${message}`
  })
  throw new ConfigError(`Invalid settings: ${lines.join('; ')}. See .env.example for all settings and their defaults.`)
}

export function processEnvironment(): Environment {
  return process.env
}

function readBackoff(settings: z.output<typeof engineSettings>): Backoff {
  const { BACKOFF_KIND: kind, BACKOFF_BASE_MS: baseMs, BACKOFF_FACTOR: factor, BACKOFF_CAP_MS: capMs } = settings
  const jitter = settings.BACKOFF_JITTER
  if (kind === 'fixed') return backoffSchema.parse({ kind, baseMs: baseMs ?? DEFAULT_BACKOFF.baseMs, jitter })
  if (kind === 'linear') return backoffSchema.parse({ kind, baseMs, capMs, jitter })
  // A custom growth applies from the first attempt on, up to the cap.
  const isCustom = [baseMs, factor, capMs].some((value) => value !== undefined)
  const capFrom = isCustom ? undefined : DEFAULT_BACKOFF.capFrom
  return backoffSchema.parse({ kind, baseMs, factor, capMs, capFrom, jitter })
}

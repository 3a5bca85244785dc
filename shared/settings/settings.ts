/** Settings of a job type: declared by code, overridden by operators, resolved when used. */
import { z } from 'zod'
import { durationBetween, integerBetween, numberBetween } from '../contracts/bounds.ts'
import { type GroupSettings, groupSettingsSchema } from '../contracts/groups.ts'
import { QueueError } from '../errors.ts'
import { encodePayload } from '../json/text.ts'
import { DAY, limits, MINUTE } from '../limits.ts'
import { type Backoff, type BackoffInput, backoffSchema, DEFAULT_BACKOFF } from './backoff.ts'
import { webhookSettings } from './webhooks.ts'

const jsonSchema = z.record(z.string(), z.unknown()).check((schema) => {
  try {
    encodePayload(schema.value, limits.schemaBytes, 'The schema')
  } catch (error) {
    if (!(error instanceof QueueError)) throw error
    schema.issues.push({ code: 'custom', message: error.message, input: schema.value })
  }
})

/** Settings of one type; null removes a limit that a lower layer sets. */
export const typeSettingsSchema = z.strictObject({
  paused: z.boolean().optional(),
  rate: numberBetween(limits.rate.min, limits.rate.max).nullable().optional(),
  burst: integerBetween(1, limits.rate.max).nullable().optional(),
  maxConcurrency: integerBetween(1, limits.concurrency).nullable().optional(),
  maxAttempts: integerBetween(1, limits.attempts).optional(),
  timeoutMs: durationBetween(limits.timeoutMs.min, limits.timeoutMs.max).nullable().optional(),
  backoff: backoffSchema.optional(),
  retentionMs: durationBetween(0, limits.retentionMs).optional(),
  crashBudget: integerBetween(1, limits.crashBudget).optional(),
  payloadSchema: jsonSchema.nullable().optional(),
  resultSchema: jsonSchema.nullable().optional(),
  group: groupSettingsSchema.nullable().optional(),
})

/** Limits and retries of one job type; null removes a limit that a lower layer sets. */
export interface TypeSettings {
  /** true: no job of this type is claimed until the type is resumed; default false. */
  paused?: boolean | undefined
  /** At most this many claims per second over all workers, refilled continuously; default: no limit. */
  rate?: number | null | undefined
  /** Burst size of the rate limit; default: the rate, at least 1. */
  burst?: number | null | undefined
  /** At most this many jobs of this type run at the same time over all workers; default: no limit. */
  maxConcurrency?: number | null | undefined
  /** Maximum number of attempts before a job fails; default 3 (`MAX_ATTEMPTS`). */
  maxAttempts?: number | undefined
  /** Time limit of one attempt, in milliseconds; default: no limit. */
  timeoutMs?: number | null | undefined
  /**
   * Delay between attempts; default: exponential, 10 s, 40 s, 2 min 40 s …, from the sixth on 6 h
   * (`BACKOFF_KIND`).
   */
  backoff?: Backoff | undefined
  /** How long finished jobs are kept, in milliseconds; default 30 days (`CLEANUP_AFTER_DAYS`). */
  retentionMs?: number | undefined
  /** A job fails after it has crashed its worker process this many times (at least twice); default 3. */
  crashBudget?: number | undefined
  /** JSON Schema of payloads for the form of the dashboard. The server does not validate jobs against it. */
  payloadSchema?: Record<string, unknown> | null | undefined
  /** JSON Schema of results, shown in the dashboard. */
  resultSchema?: Record<string, unknown> | null | undefined
  /** Limits, rate and order per key, such as a tenant; default: none. */
  group?: GroupSettings | null | undefined
}

/** Settings of a type as input: omitted backoff fields have defaults. */
export interface TypeSettingsInput extends Omit<TypeSettings, 'backoff'> {
  /** Delay between attempts; default: exponential, 10 s, 40 s, 2 min 40 s …, from the sixth on 6 h (`BACKOFF_KIND`). */
  backoff?: BackoffInput | undefined
}

/** Queue-wide settings, stored in the database. */
export const queueSettingsSchema = z.strictObject({
  paused: z.boolean().optional(),
  rate: numberBetween(limits.rate.min, limits.rate.max).nullable().optional(),
  burst: integerBetween(1, limits.rate.max).nullable().optional(),
  maxAttempts: integerBetween(1, limits.attempts).optional(),
  leaseMs: durationBetween(limits.leaseMs.min, limits.leaseMs.max).optional(),
  backoff: backoffSchema.optional(),
  retentionMs: durationBetween(0, limits.retentionMs).optional(),
  crashBudget: integerBetween(1, limits.crashBudget).optional(),
  max_retries: integerBetween(0, limits.attempts - 1).optional(),
  backoff_base: numberBetween(1, 100).optional(),
  ...webhookSettings,
})

/** Defaults of `max_retries` and `backoff_base`. */
export const COMMAND_DEFAULTS = { max_retries: 3, backoff_base: 2 } as const

/** Settings of the whole queue, stored in its database. */
export interface QueueSettings {
  /** true: no job is claimed until the queue is resumed; default false. */
  paused?: boolean | undefined
  /** At most this many claims per second over all types and workers; default: no limit. */
  rate?: number | null | undefined
  /** Burst size of the rate limit; default: the rate, at least 1. */
  burst?: number | null | undefined
  /** Maximum number of attempts for types without their own setting; default 3 (`MAX_ATTEMPTS`). */
  maxAttempts?: number | undefined
  /**
   * Default lease of claims for types without a timeout, in milliseconds; default 30 minutes
   * (`JOB_TIMEOUT_MINUTES`).
   */
  leaseMs?: number | undefined
  /** Delay between attempts for types without their own setting; default: exponential (`BACKOFF_KIND`). */
  backoff?: Backoff | undefined
  /**
   * How long finished jobs are kept for types without their own setting, in milliseconds; default 30 days
   * (`CLEANUP_AFTER_DAYS`).
   */
  retentionMs?: number | undefined
  /** A job fails after it has crashed its worker process this many times (at least twice); default 3. */
  crashBudget?: number | undefined
  /** Maximum number of retries of commands that queuectl enqueues; default 3. */
  max_retries?: number | undefined
  /** The delay after the n-th failure of such a command is this number to the power of n, in seconds; default 2. */
  backoff_base?: number | undefined
  /**
   * URL that receives a POST when a job fails permanently, unless `webhookUrls` has one for its type; default: none.
   */
  webhookUrl?: string | null | undefined
  /** URLs by type prefix; the longest matching prefix wins, and null turns it off; default: none. */
  webhookUrls?: Record<string, string | null> | undefined
  /**
   * Secret that signs deliveries (`Millrace-Signature`); write-only; default: unsigned.
   */
  webhookSecret?: string | undefined
}

/** Queue-wide settings as input: omitted backoff fields have defaults. */
export interface QueueSettingsInput extends Omit<QueueSettings, 'backoff'> {
  /** Delay between attempts for types without their own setting; default: exponential (`BACKOFF_KIND`). */
  backoff?: BackoffInput | undefined
}

/** Defaults from the environment; always complete. */
export interface Defaults {
  /** Maximum number of attempts. */
  readonly maxAttempts: number
  /** Delay between attempts. */
  readonly backoff: Backoff
  /** How long finished jobs are kept, in milliseconds. */
  readonly retentionMs: number
  /** Worker crashes before a job fails. */
  readonly crashBudget: number
  /** Default lease of claims for types without a timeout, in milliseconds. */
  readonly leaseMs: number
}

export const DEFAULTS: Defaults = {
  maxAttempts: 3,
  backoff: DEFAULT_BACKOFF,
  retentionMs: 30 * DAY,
  crashBudget: 3,
  leaseMs: 30 * MINUTE,
}

/** The resolved settings of a type. */
export interface EffectiveSettings {
  /** Whether the type is paused. */
  readonly paused: boolean
  /** Claims per second; null: no limit. */
  readonly rate: number | null
  /** Burst size of the rate limit; null: no rate limit. */
  readonly burst: number | null
  /** Maximum number of jobs that run at the same time; null: no limit. */
  readonly maxConcurrency: number | null
  /** Maximum number of attempts. */
  readonly maxAttempts: number
  /** Time limit of one attempt, in milliseconds; null: no limit. */
  readonly timeoutMs: number | null
  /** Delay between attempts. */
  readonly backoff: Backoff
  /** How long finished jobs are kept, in milliseconds. */
  readonly retentionMs: number
  /** Worker crashes before a job fails. */
  readonly crashBudget: number
  /** Default lease of a claim, in milliseconds. */
  readonly leaseMs: number
  /** The group of its jobs; null: jobs without a key have none, and keys of jobs belong to a group with the name of the type. */
  readonly group: GroupSettings | null
}

export function effectiveSettings(
  declared: TypeSettings,
  override: TypeSettings,
  settings: QueueSettings,
  defaults: Defaults,
): EffectiveSettings {
  const pick = <Key extends keyof TypeSettings>(key: Key): TypeSettings[Key] =>
    override[key] === undefined ? declared[key] : override[key]
  const rate = pick('rate') ?? null
  const timeoutMs = pick('timeoutMs') ?? null
  return {
    paused: pick('paused') ?? false,
    rate,
    burst: rate === null ? null : (pick('burst') ?? Math.max(1, Math.ceil(rate))),
    maxConcurrency: pick('maxConcurrency') ?? null,
    maxAttempts: pick('maxAttempts') ?? settings.maxAttempts ?? defaults.maxAttempts,
    timeoutMs,
    backoff: pick('backoff') ?? settings.backoff ?? defaults.backoff,
    retentionMs: pick('retentionMs') ?? settings.retentionMs ?? defaults.retentionMs,
    crashBudget: pick('crashBudget') ?? settings.crashBudget ?? defaults.crashBudget,
    leaseMs: timeoutMs ?? settings.leaseMs ?? defaults.leaseMs,
    group: pick('group') ?? null,
  }
}

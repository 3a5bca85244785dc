/** Settings of a job type: declared by code, overridden by operators, resolved when used. */
import { z } from 'zod'
import { type Backoff, type BackoffInput, backoffSchema, DEFAULT_BACKOFF } from './backoff.ts'
import { durationFrom, numberFrom, wholeFrom } from './bounds.ts'
import { QueueError } from './errors.ts'
import { encodePayload } from './json/text.ts'
import { DAY, limits, MINUTE } from './limits.ts'
import { webhookSettings } from './webhooks.ts'

const jsonSchema = z.record(z.string(), z.unknown()).check((schema) => {
  try {
    encodePayload(schema.value, limits.schemaBytes, 'The schema')
  } catch (error) {
    if (!(error instanceof QueueError)) throw error
    schema.issues.push({ code: 'custom', message: error.message, input: schema.value })
  }
})

/** What can be set per type; null switches a limit off where a lower layer sets one. */
export const typeSettingsSchema = z.strictObject({
  paused: z.boolean().optional(),
  rate: numberFrom(limits.rate.min, limits.rate.max).nullable().optional(),
  burst: wholeFrom(1, limits.rate.max).nullable().optional(),
  maxConcurrency: wholeFrom(1, limits.concurrency).nullable().optional(),
  maxAttempts: wholeFrom(1, limits.attempts).optional(),
  timeoutMs: durationFrom(limits.timeoutMs.min, limits.timeoutMs.max).nullable().optional(),
  backoff: backoffSchema.optional(),
  retentionMs: durationFrom(0, limits.retentionMs).optional(),
  crashBudget: wholeFrom(1, limits.crashBudget).optional(),
  payloadSchema: jsonSchema.nullable().optional(),
  resultSchema: jsonSchema.nullable().optional(),
})

/** Limits and retries of one job type; null switches a limit off where a lower layer sets one. */
export interface TypeSettings {
  /** true: no job of this type is claimed until it is resumed; default false. */
  paused?: boolean | undefined
  /** At most this many claims per second over all workers, refilled continuously; default: no limit. */
  rate?: number | null | undefined
  /** How many claims may come at once after a quiet time; default: the rate, at least 1. */
  burst?: number | null | undefined
  /** At most this many jobs of this type run at the same time over all workers; default: no limit. */
  maxConcurrency?: number | null | undefined
  /** How often a job is tried before it counts as failed; default 3 (`MAX_ATTEMPTS`). */
  maxAttempts?: number | undefined
  /** How long one attempt may take, in milliseconds; default: no limit. */
  timeoutMs?: number | null | undefined
  /**
   * How long to wait between attempts; default: exponential, 10 s, 40 s, 2 min 40 s …, from the sixth on 6 h
   * (`BACKOFF_KIND`).
   */
  backoff?: Backoff | undefined
  /** How long finished jobs are kept, in milliseconds; default 30 days (`CLEANUP_AFTER_DAYS`). */
  retentionMs?: number | undefined
  /** A job that has ended the process of its worker this many times, at least twice, counts as failed; default 3. */
  crashBudget?: number | undefined
  /** The JSON Schema of payloads, shown in the dashboard's form; jobs are not checked against it on the server. */
  payloadSchema?: Record<string, unknown> | null | undefined
  /** The JSON Schema of results, shown in the dashboard. */
  resultSchema?: Record<string, unknown> | null | undefined
}

/** Settings of a type as code and operators give them: what a backoff leaves out has its default. */
export interface TypeSettingsInput extends Omit<TypeSettings, 'backoff'> {
  /** How long to wait between attempts; default: exponential, 10 s, 40 s, 2 min 40 s …, from the sixth on 6 h (`BACKOFF_KIND`). */
  backoff?: BackoffInput | undefined
}

/** Queue-wide settings kept in the database, changed by operators. */
export const queueSettingsSchema = z.strictObject({
  paused: z.boolean().optional(),
  rate: numberFrom(limits.rate.min, limits.rate.max).nullable().optional(),
  burst: wholeFrom(1, limits.rate.max).nullable().optional(),
  maxAttempts: wholeFrom(1, limits.attempts).optional(),
  leaseMs: durationFrom(limits.leaseMs.min, limits.leaseMs.max).optional(),
  backoff: backoffSchema.optional(),
  retentionMs: durationFrom(0, limits.retentionMs).optional(),
  crashBudget: wholeFrom(1, limits.crashBudget).optional(),
  max_retries: wholeFrom(0, limits.attempts - 1).optional(),
  backoff_base: numberFrom(1, 100).optional(),
  ...webhookSettings,
})

/** What holds for commands where the queue's settings say nothing. */
export const COMMAND_DEFAULTS = { max_retries: 3, backoff_base: 2 } as const

/** Settings of the whole queue, kept in its database. */
export interface QueueSettings {
  /** true: no job is claimed until the queue is resumed; default false. */
  paused?: boolean | undefined
  /** At most this many claims per second over all types and workers; default: no limit. */
  rate?: number | null | undefined
  /** How many claims may come at once after a quiet time; default: the rate, at least 1. */
  burst?: number | null | undefined
  /** How often a job is tried where its type does not say; default 3 (`MAX_ATTEMPTS`). */
  maxAttempts?: number | undefined
  /**
   * The lease of a claim that names none, for types without a timeout, in milliseconds; default 30 minutes
   * (`JOB_TIMEOUT_MINUTES`).
   */
  leaseMs?: number | undefined
  /** How long to wait between attempts where the type does not say; default: exponential (`BACKOFF_KIND`). */
  backoff?: Backoff | undefined
  /**
   * How long finished jobs are kept where the type does not say, in milliseconds; default 30 days
   * (`CLEANUP_AFTER_DAYS`).
   */
  retentionMs?: number | undefined
  /** A job that has ended the process of its worker this many times, at least twice, counts as failed; default 3. */
  crashBudget?: number | undefined
  /** How often a command that queuectl enqueued is run again after its first run; default 3. */
  max_retries?: number | undefined
  /** The wait after the n-th failure of such a command is this number to the power of n, in seconds; default 2. */
  backoff_base?: number | undefined
  /**
   * The address that gets a POST when a job fails for good, unless `webhookUrls` has one for its type; default: none.
   */
  webhookUrl?: string | null | undefined
  /** Addresses by the beginning of type names; the longest match counts, and null means none; default: none. */
  webhookUrls?: Record<string, string | null> | undefined
  /**
   * The secret that signs deliveries (`Millrace-Signature`); it can be set and cleared, and never read; default:
   * unsigned.
   */
  webhookSecret?: string | undefined
}

/** Queue-wide settings as operators give them: what a backoff leaves out has its default. */
export interface QueueSettingsInput extends Omit<QueueSettings, 'backoff'> {
  /** How long to wait between attempts where the type does not say; default: exponential (`BACKOFF_KIND`). */
  backoff?: BackoffInput | undefined
}

/** The last layer, from the environment: always complete. */
export interface Defaults {
  /** How often a job is tried. */
  readonly maxAttempts: number
  /** How long to wait between attempts. */
  readonly backoff: Backoff
  /** How long finished jobs are kept, in milliseconds. */
  readonly retentionMs: number
  /** How often a job may end the process of its worker. */
  readonly crashBudget: number
  /** The lease of a claim that names none, for types without a timeout. */
  readonly leaseMs: number
}

export const DEFAULTS: Defaults = {
  maxAttempts: 3,
  backoff: DEFAULT_BACKOFF,
  retentionMs: 30 * DAY,
  crashBudget: 3,
  leaseMs: 30 * MINUTE,
}

/** What holds for a type right now. */
export interface EffectiveSettings {
  /** Whether the type is paused. */
  readonly paused: boolean
  /** Claims per second; null: no limit. */
  readonly rate: number | null
  /** How many claims may come at once after a quiet time; null: no rate limit. */
  readonly burst: number | null
  /** How many jobs may run at the same time; null: no limit. */
  readonly maxConcurrency: number | null
  /** How often a job is tried. */
  readonly maxAttempts: number
  /** How long one attempt may take, in milliseconds; null: no limit. */
  readonly timeoutMs: number | null
  /** How long to wait between attempts. */
  readonly backoff: Backoff
  /** How long finished jobs are kept, in milliseconds. */
  readonly retentionMs: number
  /** How often a job may end the process of its worker. */
  readonly crashBudget: number
  /** The lease of a claim that names none, in milliseconds. */
  readonly leaseMs: number
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
  }
}

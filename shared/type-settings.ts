/** Settings of a job type: declared by code, overridden by operators, resolved when used. */
import { z } from 'zod'
import { type Backoff, backoffSchema, DEFAULT_BACKOFF } from './backoff.ts'
import { durationFrom, numberFrom, wholeFrom } from './bounds.ts'
import { QueueError } from './errors.ts'
import { DAY, limits, MINUTE } from './limits.ts'
import { encodePayload } from './text.ts'
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
  /** Claims per second, refilled continuously. */
  rate: numberFrom(limits.rate.min, limits.rate.max).nullable().optional(),
  /** How many claims may come at once after a quiet time; default: the rate, at least 1. */
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

export type TypeSettings = z.output<typeof typeSettingsSchema>

/** Queue-wide settings kept in the database, changed by operators. */
export const queueSettingsSchema = z.strictObject({
  paused: z.boolean().optional(),
  rate: numberFrom(limits.rate.min, limits.rate.max).nullable().optional(),
  burst: wholeFrom(1, limits.rate.max).nullable().optional(),
  maxAttempts: wholeFrom(1, limits.attempts).optional(),
  /** The lease of a claim that names none, for types without a timeout. */
  leaseMs: durationFrom(limits.leaseMs.min, limits.leaseMs.max).optional(),
  backoff: backoffSchema.optional(),
  retentionMs: durationFrom(0, limits.retentionMs).optional(),
  crashBudget: wholeFrom(1, limits.crashBudget).optional(),
  /** For commands enqueued by queuectl, in its own words: so many runs after the first. */
  max_retries: wholeFrom(0, limits.attempts - 1).optional(),
  /** The wait after the n-th failure of such a command: this to the power of n, in seconds. */
  backoff_base: numberFrom(1, 100).optional(),
  ...webhookSettings,
})

/** What holds for commands where the queue's settings say nothing. */
export const COMMAND_DEFAULTS = { max_retries: 3, backoff_base: 2 } as const

export type QueueSettings = z.output<typeof queueSettingsSchema>

/** The last layer, from the environment: always complete. */
export interface Defaults {
  readonly maxAttempts: number
  readonly backoff: Backoff
  readonly retentionMs: number
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
  readonly paused: boolean
  readonly rate: number | null
  readonly burst: number | null
  readonly maxConcurrency: number | null
  readonly maxAttempts: number
  readonly timeoutMs: number | null
  readonly backoff: Backoff
  readonly retentionMs: number
  readonly crashBudget: number
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

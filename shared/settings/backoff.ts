/** Backoff settings: the delay between a failure and the next attempt. */
import { z } from 'zod'
import { durationBetween, numberBetween } from '../contracts/bounds.ts'
import { DAY, HOUR, limits, SECOND } from '../limits.ts'

/** The longest delay that can be configured. */
const MAX_DELAY_MS = 30 * DAY

const delay = durationBetween(0, MAX_DELAY_MS)
const jitter = numberBetween(0, 1)

export const backoffSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('fixed'),
    baseMs: delay,
    jitter: jitter.default(0),
  }),
  z.strictObject({
    kind: z.literal('linear'),
    baseMs: delay.default(30 * SECOND),
    capMs: delay.default(6 * HOUR),
    jitter: jitter.default(0),
  }),
  z.strictObject({
    kind: z.literal('exponential'),
    baseMs: delay.default(10 * SECOND),
    factor: numberBetween(1, 100).default(4),
    capMs: delay.default(6 * HOUR),
    capFrom: z.int().min(1).max(limits.attempts).optional(),
    jitter: jitter.default(0.2),
  }),
])

/** The same delay after each failure. */
export interface FixedBackoff {
  /** The same delay after each failure. */
  kind: 'fixed'
  /** The delay, in milliseconds. */
  baseMs: number
  /** Random spread as a share of the delay: 0.2 is ± 20 %; default 0. */
  jitter: number
}

/** A delay that grows by `baseMs` with each failure. */
export interface LinearBackoff {
  /** The n-th delay is n times `baseMs`. */
  kind: 'linear'
  /** The delay after the first failure, in milliseconds; default 30,000. */
  baseMs: number
  /** The longest delay, in milliseconds; default 6 hours. */
  capMs: number
  /** Random spread as a share of the delay: 0.2 is ± 20 %; default 0. */
  jitter: number
}

/** A delay that is multiplied by `factor` with each failure. */
export interface ExponentialBackoff {
  /** Each delay is `factor` times the previous one. */
  kind: 'exponential'
  /** The delay after the first failure, in milliseconds; default 10,000. */
  baseMs: number
  /** The growth of the delay from one failure to the next; default 4. */
  factor: number
  /** The longest delay, in milliseconds; default 6 hours. */
  capMs: number
  /** From this failed attempt on the delay is `capMs`; default: when the growth reaches `capMs`. */
  capFrom?: number | undefined
  /** Random spread as a share of the delay: 0.2 is ± 20 %; default 0.2. */
  jitter: number
}

type Given<Kind extends { kind: string }, Required extends keyof Kind> = Pick<Kind, Required> & {
  [Name in keyof Kind as Name extends Required ? never : Name]?: Kind[Name] | undefined
}

/** The delay between a failure and the next attempt, with all fields set. */
export type Backoff = FixedBackoff | LinearBackoff | ExponentialBackoff

/** The delay between a failure and the next attempt: `fixed`, `linear` or `exponential`; omitted fields have defaults. */
export type BackoffInput =
  | Given<FixedBackoff, 'kind' | 'baseMs'>
  | Given<LinearBackoff, 'kind'>
  | Given<ExponentialBackoff, 'kind'>

/** 10 s, 40 s, 2 min 40 s, 10 min 40 s, 42 min 40 s, then 6 h each time; ± 20 %, never above 6 h. */
export const DEFAULT_BACKOFF = {
  kind: 'exponential',
  baseMs: 10 * SECOND,
  factor: 4,
  capMs: 6 * HOUR,
  capFrom: 6,
  jitter: 0.2,
} as const satisfies Backoff

/** Backoff of commands that queuectl enqueues: `base ** attempt` seconds, without jitter. */
export function commandBackoff(base: number): Backoff {
  return { kind: 'exponential', baseMs: Math.round(base * SECOND), factor: base, capMs: MAX_DELAY_MS, jitter: 0 }
}

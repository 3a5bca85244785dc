/** What can be said about how long a failed job waits before its next attempt. */
import { z } from 'zod'
import { durationFrom, numberFrom } from './bounds.ts'
import { DAY, HOUR, limits, SECOND } from './limits.ts'

/** The longest wait that can be asked for. */
const MAX_DELAY_MS = 30 * DAY

const delay = durationFrom(0, MAX_DELAY_MS)
const jitter = numberFrom(0, 1)

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
    factor: numberFrom(1, 100).default(4),
    capMs: delay.default(6 * HOUR),
    capFrom: z.int().min(1).max(limits.attempts).optional(),
    jitter: jitter.default(0.2),
  }),
])

/** The same wait after each failure. */
export interface FixedBackoff {
  /** The same wait after each failure. */
  kind: 'fixed'
  /** The wait, in milliseconds. */
  baseMs: number
  /** Random spread as a share of the wait: 0.2 is ± 20 %; default 0. */
  jitter: number
}

/** Waits that grow by `baseMs` with each failure. */
export interface LinearBackoff {
  /** After the n-th failure n times `baseMs`. */
  kind: 'linear'
  /** The wait after the first failure, in milliseconds; default 30,000. */
  baseMs: number
  /** The longest wait, in milliseconds; default 6 hours. */
  capMs: number
  /** Random spread as a share of the wait: 0.2 is ± 20 %; default 0. */
  jitter: number
}

/** Waits that grow by `factor` with each failure. */
export interface ExponentialBackoff {
  /** After each failure `factor` times the last wait. */
  kind: 'exponential'
  /** The wait after the first failure, in milliseconds; default 10,000. */
  baseMs: number
  /** How much longer each wait is than the one before; default 4. */
  factor: number
  /** The longest wait, in milliseconds; default 6 hours. */
  capMs: number
  /** From this failed attempt on the wait is `capMs`, however far the growth has come; default: when the growth reaches it. */
  capFrom?: number | undefined
  /** Random spread as a share of the wait: 0.2 is ± 20 %; default 0.2. */
  jitter: number
}

type Given<Kind extends { kind: string }, Required extends keyof Kind> = Pick<Kind, Required> & {
  [Name in keyof Kind as Name extends Required ? never : Name]?: Kind[Name] | undefined
}

/** How long a failed job waits before its next attempt, with all fields given. */
export type Backoff = FixedBackoff | LinearBackoff | ExponentialBackoff

/** How long a failed job waits before its next attempt: `fixed`, `linear` or `exponential`; what is left out has its default. */
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

/** `base ** attempt` seconds, without jitter: how queuectl's commands wait. */
export function commandBackoff(base: number): Backoff {
  return { kind: 'exponential', baseMs: Math.round(base * SECOND), factor: base, capMs: MAX_DELAY_MS, jitter: 0 }
}

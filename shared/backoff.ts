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
    /** `fixed`: the same wait each time. `linear`: baseMs × attempt. `exponential`: baseMs × factor ^ (attempt − 1). */
    kind: z.literal('fixed'),
    /** The wait after the first failure, in milliseconds; default 30,000 for `linear`, 10,000 for `exponential`, none for `fixed`. */
    baseMs: delay,
    /** Random spread as a share of the wait: 0.2 is ± 20 %; default 0.2 for `exponential`, else 0. */
    jitter: jitter.default(0),
  }),
  z.strictObject({
    kind: z.literal('linear'),
    baseMs: delay.default(30 * SECOND),
    /** The longest wait, in milliseconds; default 6 hours. */
    capMs: delay.default(6 * HOUR),
    jitter: jitter.default(0),
  }),
  z.strictObject({
    kind: z.literal('exponential'),
    baseMs: delay.default(10 * SECOND),
    /** How much longer each wait is than the one before; default 4. */
    factor: numberFrom(1, 100).default(4),
    /** The longest wait, in milliseconds; default 6 hours. */
    capMs: delay.default(6 * HOUR),
    /** From this failed attempt on the wait is `capMs`, however far the growth has come; default: when the growth reaches it. */
    capFrom: z.int().min(1).max(limits.attempts).optional(),
    jitter: jitter.default(0.2),
  }),
])

/** How long a failed job waits before its next attempt, with all fields given. */
export type Backoff = z.output<typeof backoffSchema>

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

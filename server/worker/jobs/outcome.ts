/** Maps a handler's return value or error to a settle request. */
import type { SettleInput } from '../../../shared/contracts/work.ts'
import { GroupBusy } from '../../../shared/group-busy.ts'
import { encodeResult, sanitise } from '../../../shared/json/text.ts'
import { limits, SECOND } from '../../../shared/limits.ts'
import type { Lease } from '../heartbeats/lease-set.ts'
import { messageOf, reasonsOf, stacksOf } from './error-text.ts'
import { BadExit, Cancel, isOutcomeError, Measured, RetryLater, UnrecoverableError } from './handler-errors.ts'

const MAX_EXIT_CODE = 1_000
/** Delay of a `GroupBusy` whose delay is not a number, for example from a header that is missing. */
const BUSY_MS = SECOND

/** A result that is not JSON fails the job without a retry. The queue itself limits the size. */
export function resultOf(lease: Lease, returned: unknown): SettleInput {
  const { result, durationMs } = returned instanceof Measured ? returned : { result: returned, durationMs: undefined }
  try {
    const json = encodeResult(result, Number.POSITIVE_INFINITY)
    // A copy: the request is sent later, and the handler may still change the object.
    return {
      ...lease,
      kind: 'complete',
      ...(json !== null && { result: JSON.parse(json) }),
      ...(durationMs !== undefined && { durationMs }),
    }
  } catch (error) {
    return { ...lease, kind: 'fail', error: unstorable(messageOf(error)), retry: false }
  }
}

export function unstorable(reason: string): string {
  return `The result of this job cannot be stored: ${reason}`
}

/** Accepts errors whose properties throw. */
export function failureOf(lease: Lease, error: unknown): SettleInput {
  try {
    return readFailure(lease, error)
  } catch (unreadable) {
    const reason = `The handler threw an error whose properties cannot be read: ${messageOf(unreadable)}`
    return { ...lease, kind: 'fail', error: sanitise(reason, limits.attemptErrorLength) }
  }
}

function readFailure(lease: Lease, error: unknown): SettleInput {
  if (error instanceof GroupBusy) return { ...lease, kind: 'release', delayMs: busyFor(error.delayMs), groupBusy: true }
  const stack = stackOf(error)
  const fail = {
    ...lease,
    kind: 'fail' as const,
    error: sanitise(reasonOf(error) || 'No reason was given.', limits.attemptErrorLength),
    ...(stack !== null && { stack: sanitise(stack, limits.attemptErrorLength) }),
  }
  if (error instanceof RetryLater) return { ...fail, ...retryIn(error.delayMs) }
  if (error instanceof UnrecoverableError) return { ...fail, retry: false }
  if (error instanceof Cancel) return { ...fail, cancel: true }
  if (error instanceof BadExit) {
    const { exitCode, durationMs } = error
    return { ...fail, ...(isExitCode(exitCode) && { exitCode }), ...(durationMs !== null && { durationMs }) }
  }
  return fail
}

/** Clamps the delay to the allowed range; NaN falls back to the normal backoff. */
function retryIn(delayMs: number): { readonly retryInMs?: number } {
  const ms = Math.round(Math.min(limits.delayMs, Math.max(0, delayMs)))
  return Number.isNaN(ms) ? {} : { retryInMs: ms }
}

/** At least a millisecond: a release is not counted, so without a delay a handler could be called in a loop. */
function busyFor(delayMs: number): number {
  return Number.isNaN(delayMs) ? BUSY_MS : Math.round(Math.min(limits.delayMs, Math.max(1, delayMs)))
}

function isExitCode(code: number): boolean {
  return Number.isInteger(code) && Math.abs(code) <= MAX_EXIT_CODE
}

/** Messages only: callers of the queue see them, and stacks contain file paths of the worker. */
function reasonOf(error: unknown): string {
  if (isOutcomeError(error)) return String(error.message)
  if (error instanceof Error) return reasonsOf(error)
  return typeof error === 'string' ? error : `The handler threw ${describeThrown(error)}`
}

/** null: no stack, or an outcome error, whose stack is of no use. */
function stackOf(error: unknown): string | null {
  return isOutcomeError(error) || !(error instanceof Error) ? null : stacksOf(error)
}

/** Any value can be thrown, also one that has no JSON. */
function describeThrown(thrown: unknown): string {
  try {
    return JSON.stringify(thrown) ?? String(thrown)
  } catch {
    return typeof thrown === 'bigint' ? `${thrown}n` : `a value of type ${typeof thrown}`
  }
}

/** What a handler gave back or threw, as the queue takes it: nothing that a handler can do is refused, or keeps others waiting. */
import type { SettleInput } from '../../../shared/contracts/work.ts'
import { encodeResult, sanitise } from '../../../shared/json/text.ts'
import { limits } from '../../../shared/limits.ts'
import type { Lease } from '../heartbeats/lease-set.ts'
import { messageOf, reasonsOf, stacksOf } from './error-text.ts'
import { BadExit, Cancel, FailForGood, isOutcome, Measured, RetryLater } from './handler-errors.ts'

const MAX_EXIT_CODE = 1_000

/** One that is no JSON could not even be sent; no retry would mend it. How large it may be is for the queue to say. */
export function resultOf(lease: Lease, given: unknown): SettleInput {
  const { result, durationMs } = given instanceof Measured ? given : { result: given, durationMs: undefined }
  try {
    const json = encodeResult(result, Number.POSITIVE_INFINITY)
    // As it is now: it waits for others to be sent with, and the handler may have kept the object.
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

/** Also of an error that throws when it is read. */
export function failureOf(lease: Lease, error: unknown): SettleInput {
  try {
    return readFailure(lease, error)
  } catch (unreadable) {
    const reason = `The handler threw an error that cannot be read: ${messageOf(unreadable)}`
    return { ...lease, kind: 'fail', error: sanitise(reason, limits.attemptErrorLength) }
  }
}

function readFailure(lease: Lease, error: unknown): SettleInput {
  const stack = stackOf(error)
  const fail = {
    ...lease,
    kind: 'fail' as const,
    error: sanitise(reasonOf(error) || 'No reason was given.', limits.attemptErrorLength),
    ...(stack !== null && { stack: sanitise(stack, limits.attemptErrorLength) }),
  }
  if (error instanceof RetryLater) return { ...fail, ...retryIn(error.delayMs) }
  if (error instanceof FailForGood) return { ...fail, retry: false }
  if (error instanceof Cancel) return { ...fail, cancel: true }
  if (error instanceof BadExit) {
    const { exitCode, durationMs } = error
    return { ...fail, ...(isExitCode(exitCode) && { exitCode }), ...(durationMs !== null && { durationMs }) }
  }
  return fail
}

/** The nearest span that can be; what is no number leaves it to the usual backoff. */
function retryIn(delayMs: number): { readonly retryInMs?: number } {
  const ms = Math.round(Math.min(limits.delayMs, Math.max(0, delayMs)))
  return Number.isNaN(ms) ? {} : { retryInMs: ms }
}

function isExitCode(code: number): boolean {
  return Number.isInteger(code) && Math.abs(code) <= MAX_EXIT_CODE
}

/** Messages alone: callers of the queue see them, and file names of the worker are not for them. */
function reasonOf(error: unknown): string {
  if (isOutcome(error)) return String(error.message)
  if (error instanceof Error) return reasonsOf(error)
  return typeof error === 'string' ? error : `The handler threw ${inWords(error)}`
}

/** null: there is none, or it says nothing that the message does not. */
function stackOf(error: unknown): string | null {
  return isOutcome(error) || !(error instanceof Error) ? null : stacksOf(error)
}

/** Anything can be thrown, also what cannot be written down. */
function inWords(thrown: unknown): string {
  try {
    return JSON.stringify(thrown) ?? String(thrown)
  } catch {
    return typeof thrown === 'bigint' ? `${thrown}n` : `a value of type ${typeof thrown}`
  }
}

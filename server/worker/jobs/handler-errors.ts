/** Errors with which a handler decides the outcome of its job. */
import { GroupBusy } from '../../../shared/group-busy.ts'

/** Throw it to retry the job after `delayMs`. It counts as an attempt. */
export class RetryLater extends Error {
  override readonly name = 'RetryLater'
  /** Delay before the next attempt, in milliseconds. */
  readonly delayMs: number

  constructor(delayMs: number, reason = `retry requested in ${delayMs} ms`) {
    super(reason)
    this.delayMs = delayMs
  }
}

/** Throw it when a retry cannot succeed: the job fails at once, whatever attempts are left. */
export class UnrecoverableError extends Error {
  override readonly name = 'UnrecoverableError'
}

/** Return value of a built-in handler that has measured its duration itself. */
export class Measured {
  readonly result: unknown
  readonly durationMs: number

  constructor(result: unknown, durationMs: number) {
    this.result = result
    this.durationMs = durationMs
  }
}

/** Throw it when a program failed: the attempt fails, and the exit code is stored. Negative: the number of the signal. */
export class BadExit extends Error {
  override readonly name = 'BadExit'
  /** The exit code of the program, or the negative number of the signal that ended it. */
  readonly exitCode: number
  /** How long the program ran; null: measured from the claim on. */
  readonly durationMs: number | null

  constructor(exitCode: number, reason: string, durationMs: number | null = null) {
    super(reason)
    this.exitCode = exitCode
    this.durationMs = durationMs
  }
}

/** Throw it when the job is no longer needed: it ends as cancelled, and a retry of failed jobs does not run it again. */
export class Cancel extends Error {
  override readonly name = 'Cancel'

  constructor(reason = 'cancelled by its handler') {
    super(reason)
  }
}

/** Errors that decide the outcome; their stacks are not stored. */
export function isOutcomeError(
  error: unknown,
): error is RetryLater | UnrecoverableError | BadExit | Cancel | GroupBusy {
  return [RetryLater, UnrecoverableError, BadExit, Cancel, GroupBusy].some((kind) => error instanceof kind)
}

/** What a handler may throw to say how its job goes on; anything else is a failure with the usual backoff. */

/** Throw it to run the job again after `delayMs`; it counts as an attempt. */
export class RetryLater extends Error {
  override readonly name = 'RetryLater'
  /** How long to wait, in milliseconds. */
  readonly delayMs: number

  constructor(delayMs: number, reason = `asked to be run again in ${delayMs} ms`) {
    super(reason)
    this.delayMs = delayMs
  }
}

/** Throw it when no further attempt would help: the job fails at once. */
export class FailForGood extends Error {
  override readonly name = 'FailForGood'
}

/** What a handler of our own returns that has measured its work: the result, and how long it took. */
export class Measured {
  readonly result: unknown
  readonly durationMs: number

  constructor(result: unknown, durationMs: number) {
    this.result = result
    this.durationMs = durationMs
  }
}

/** Throw it when a program ended badly: the attempt fails, and its exit code is kept. Negative: the number of the signal. */
export class BadExit extends Error {
  override readonly name = 'BadExit'
  /** The exit code of the program, or the negative number of the signal that ended it. */
  readonly exitCode: number
  /** How long the program ran. Default: from the claim on. */
  readonly durationMs: number | null

  constructor(exitCode: number, reason: string, durationMs: number | null = null) {
    super(reason)
    this.exitCode = exitCode
    this.durationMs = durationMs
  }
}

/** Throw it when the work is no longer wanted: the job ends as cancelled, and no retry of failed jobs runs it again. */
export class Cancel extends Error {
  override readonly name = 'Cancel'

  constructor(reason = 'cancelled by its handler') {
    super(reason)
  }
}

/** Thrown to say something: the message is meant for people, and where it was thrown is of no interest. */
export function isOutcome(error: unknown): error is RetryLater | FailForGood | BadExit | Cancel {
  return [RetryLater, FailForGood, BadExit, Cancel].some((kind) => error instanceof kind)
}

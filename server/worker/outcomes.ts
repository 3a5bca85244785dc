/** What a handler may throw to say how its job goes on; anything else is a failure with the usual backoff. */

/** Run it again after this long. It counts as an attempt, so a job cannot go round for ever. */
export class RetryLater extends Error {
  override readonly name = 'RetryLater'
  readonly delayMs: number

  constructor(delayMs: number, reason = `asked to be run again in ${delayMs} ms`) {
    super(reason)
    this.delayMs = delayMs
  }
}

/** No further attempt would help. */
export class FailForGood extends Error {
  override readonly name = 'FailForGood'
}

/** A program ended badly: its exit code is kept with the attempt. Negative: the number of the signal that killed it. */
export class BadExit extends Error {
  override readonly name = 'BadExit'
  readonly exitCode: number

  constructor(exitCode: number, reason: string) {
    super(reason)
    this.exitCode = exitCode
  }
}

/** The work is no longer wanted: the job ends as cancelled, and no retry of failed jobs brings it back. */
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

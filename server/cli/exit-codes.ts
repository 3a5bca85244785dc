/** Exit codes of queuectl, the same for every command, and the errors that carry them. */
import { type ErrorCode, QueueError } from '../../shared/errors.ts'

export const EXIT = { ok: 0, failed: 1, usage: 2, notFound: 3, conflict: 4, unreachable: 5 } as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

/** An error of queuectl itself. The message includes what to do next. */
export class CliError extends Error {
  override readonly name = 'CliError'
  readonly exitCode: ExitCode

  constructor(exitCode: ExitCode, message: string) {
    super(message)
    this.exitCode = exitCode
  }
}

export function usageError(message: string): CliError {
  return new CliError(EXIT.usage, message)
}

const EXIT_OF: Readonly<Record<ErrorCode, ExitCode>> = {
  BAD_INPUT: EXIT.usage,
  UNAUTHORIZED: EXIT.failed,
  FORBIDDEN: EXIT.failed,
  NOT_FOUND: EXIT.notFound,
  WRONG_METHOD: EXIT.failed,
  STALE_CLAIM: EXIT.conflict,
  WRONG_STATE: EXIT.conflict,
  DUPLICATE_KEY: EXIT.conflict,
  TOO_LARGE: EXIT.failed,
  NOT_JSON: EXIT.failed,
  TOO_MANY: EXIT.unreachable,
  BUSY: EXIT.unreachable,
  CLOSED: EXIT.unreachable,
  UNREACHABLE: EXIT.unreachable,
  UNSUPPORTED: EXIT.failed,
  DISK_FULL: EXIT.failed,
  INTERNAL: EXIT.failed,
  STORE_FAILED: EXIT.failed,
}

/** null: an unexpected error, which is a bug. */
export function exitCodeOf(error: unknown): ExitCode | null {
  if (error instanceof CliError) return error.exitCode
  return error instanceof QueueError ? EXIT_OF[error.code] : null
}

export function messageOf(error: unknown): string {
  if (error instanceof QueueError && error.code === 'UNAUTHORIZED') {
    return `${error.message} (Pass a token with --token or AUTH_TOKEN.)`
  }
  return error instanceof Error ? error.message : String(error)
}

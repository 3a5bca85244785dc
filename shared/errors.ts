/** Error codes with their tRPC and HTTP equivalents, and the error classes. */

/** A function, because clients contain the table. */
const code = <Trpc extends string, Http extends number>(trpc: Trpc, http: Http) => ({ trpc, http }) as const

export const ERRORS = {
  /**
   * The request violates its schema or a bound; the message names the field. Change the request: repeating it gives the
   * same error.
   */
  BAD_INPUT: code('BAD_REQUEST', 400),
  /** The token is missing, unknown, revoked or expired. Use a valid token. */
  UNAUTHORIZED: code('UNAUTHORIZED', 401),
  /** The token lacks the scope or the job type. Use a token with the scope that the message names. */
  FORBIDDEN: code('FORBIDDEN', 403),
  /**
   * No such job, type, bulk operation or procedure. Finished jobs are deleted after their retention. Check the id.
   */
  NOT_FOUND: code('NOT_FOUND', 404),
  /** The path needs another HTTP method. Use POST for mutations, GET or POST for queries. */
  WRONG_METHOD: code('METHOD_NOT_SUPPORTED', 405),
  /** The lease has ended, and the job was claimed again or finished. Stop the attempt: its outcome is ignored. */
  STALE_CLAIM: code('CONFLICT', 409),
  /** The state of the job or queue object does not allow this. The message names the required state. */
  WRONG_STATE: code('CONFLICT', 409),
  /** Another job of this type has the dedupe key, or another token has the name. Choose another one, or finish the other job. */
  DUPLICATE_KEY: code('CONFLICT', 409),
  /**
   * The payload, result, batch or request exceeds its size limit. Send less, or raise `MAX_PAYLOAD_BYTES` or
   * `MAX_BODY_BYTES`.
   */
  TOO_LARGE: code('PAYLOAD_TOO_LARGE', 413),
  /** The request body is not declared as JSON. Send `content-type: application/json`. */
  NOT_JSON: code('UNSUPPORTED_MEDIA_TYPE', 415),
  /** Too many requests, sign-ins or event streams at once. Retry after a moment. */
  TOO_MANY: code('TOO_MANY_REQUESTS', 429),
  /**
   * The queue is overloaded, or its database is locked or unavailable. Retry after a moment; the message states when the
   * outcome of the request is unknown.
   */
  BUSY: code('SERVICE_UNAVAILABLE', 503),
  /**
   * The queue is shutting down or was closed in this process. Retry against a running server, or open the queue again.
   */
  CLOSED: code('SERVICE_UNAVAILABLE', 503),
  /**
   * The client received no response, so the outcome of the request is unknown. Check the address and the server; retry
   * with a `dedupeKey` or `requestId`.
   */
  UNREACHABLE: code('SERVICE_UNAVAILABLE', 503),
  /** Not supported by this database or by the settings of the server. The message states the requirement. */
  UNSUPPORTED: code('CONFLICT', 409),
  /** The disk is full, or the database has reached `MAX_DATABASE_BYTES`. Nothing was stored. Free space or delete jobs. */
  DISK_FULL: code('INTERNAL_SERVER_ERROR', 507),
  /** An unexpected error in the server; the cause is in its log. */
  INTERNAL: code('INTERNAL_SERVER_ERROR', 500),
  /** The database reported an error; the cause is in the message or in the log of the server. */
  STORE_FAILED: code('INTERNAL_SERVER_ERROR', 500),
} as const

/** The code of a QueueError. */
export type ErrorCode = keyof typeof ERRORS

/** Every error of the queue: a code and a message that includes what to do next. */
export class QueueError extends Error {
  override readonly name = 'QueueError'
  /** One of the error codes of the reference. Programs should check it, not the message. */
  readonly code: ErrorCode
  /** Machine-readable details: ids, limits, names. */
  readonly details: Readonly<Record<string, unknown>>

  constructor(code: ErrorCode, message: string, details: Readonly<Record<string, unknown>> = {}) {
    super(message)
    this.code = code
    this.details = details
  }
}

/** An error about one field. The message starts with the field name, so that an API with other names can replace it. */
export class FieldError extends QueueError {
  readonly field: string
  /** The rest of the message. */
  readonly problem: string

  constructor(code: ErrorCode, field: string, problem: string, details: Readonly<Record<string, unknown>> = {}) {
    super(code, `${field} ${problem}`, details)
    this.field = field
    this.problem = problem
  }
}

export function notFound(id: string): QueueError {
  return new QueueError('NOT_FOUND', `There is no job ${id}; it may have been deleted after its retention.`, { id })
}

export function staleClaim(id: string, version: number): QueueError {
  return new QueueError(
    'STALE_CLAIM',
    `Claim ${version} of job ${id} is no longer current; stop this attempt, another worker may have the job.`,
    { id, version },
  )
}

/** The one list of things that can go wrong, and what each is called on every wire. */

export const ERRORS = {
  /**
   * The request does not fit its schema or a bound; the message names the field. Change the request; repeating it gives
   * the same answer.
   */
  BAD_INPUT: { trpc: 'BAD_REQUEST', http: 400 },
  /** The server needs a token and got none, or one that is unknown, revoked or expired. Give the client a valid token. */
  UNAUTHORIZED: { trpc: 'UNAUTHORIZED', http: 401 },
  /** The token has not the scope for this, or not the type. Use a token with the scope that the message names. */
  FORBIDDEN: { trpc: 'FORBIDDEN', http: 403 },
  /**
   * There is no job, type, bulk operation or procedure with this name; finished jobs are removed after their retention.
   * Check the id.
   */
  NOT_FOUND: { trpc: 'NOT_FOUND', http: 404 },
  /** The address exists for another HTTP method. Use POST for mutations, GET or POST for queries. */
  WRONG_METHOD: { trpc: 'METHOD_NOT_SUPPORTED', http: 405 },
  /** The lease has ended and the job was claimed again or finished. Drop the attempt: its outcome no longer counts. */
  STALE_CLAIM: { trpc: 'CONFLICT', http: 409 },
  /** The job, or the queue object, is in a state in which this is not possible. The message says which state is needed. */
  WRONG_STATE: { trpc: 'CONFLICT', http: 409 },
  /** Another job of the type has taken the dedupe key meanwhile, or a token has this name. Finish the other job, or choose another name. */
  DUPLICATE_KEY: { trpc: 'CONFLICT', http: 409 },
  /**
   * The payload, result, batch or request is larger than its limit. Send less, or raise `MAX_PAYLOAD_BYTES` or
   * `MAX_BODY_BYTES`.
   */
  TOO_LARGE: { trpc: 'PAYLOAD_TOO_LARGE', http: 413 },
  /** The request body is not declared as JSON. Send `content-type: application/json`. */
  NOT_JSON: { trpc: 'UNSUPPORTED_MEDIA_TYPE', http: 415 },
  /** Too many requests, sign-ins or event streams at once. Wait a moment, then repeat. */
  TOO_MANY: { trpc: 'TOO_MANY_REQUESTS', http: 429 },
  /**
   * The queue cannot take this now: too many writes or searches wait, or the database is locked or away. Repeat after a
   * moment; the message says when it is not known whether the request took effect.
   */
  BUSY: { trpc: 'SERVICE_UNAVAILABLE', http: 503 },
  /**
   * The queue is shutting down or was closed in this process. Repeat against the running server, or open the queue
   * again.
   */
  CLOSED: { trpc: 'SERVICE_UNAVAILABLE', http: 503 },
  /**
   * The client got no answer, so it is not known whether the request took effect. Check the address and the server;
   * repeat with a `dedupeKey` or `requestId`.
   */
  UNREACHABLE: { trpc: 'SERVICE_UNAVAILABLE', http: 503 },
  /** Not possible with this database, or not with these settings of the server. The message says what would be needed. */
  UNSUPPORTED: { trpc: 'CONFLICT', http: 409 },
  /** The disk, or `MAX_DATABASE_BYTES`, is full. Nothing was stored: free space or remove jobs. */
  DISK_FULL: { trpc: 'INTERNAL_SERVER_ERROR', http: 507 },
  /** A fault in the server; the cause is in its log. */
  INTERNAL: { trpc: 'INTERNAL_SERVER_ERROR', http: 500 },
  /** The database failed or refused; the cause is in the message or in the server's log. */
  STORE_FAILED: { trpc: 'INTERNAL_SERVER_ERROR', http: 500 },
} as const

/** The code of a QueueError. */
export type ErrorCode = keyof typeof ERRORS

/** A refusal with a code from the table and a message that says what to do next. */
export class QueueError extends Error {
  override readonly name = 'QueueError'
  /** One of the codes in the reference; programs should decide by it, not by the message. */
  readonly code: ErrorCode
  /** More about it for programs: ids, limits, names. */
  readonly details: Readonly<Record<string, unknown>>

  constructor(code: ErrorCode, message: string, details: Readonly<Record<string, unknown>> = {}) {
    super(message)
    this.code = code
    this.details = details
  }
}

export function notFound(id: string): QueueError {
  return new QueueError('NOT_FOUND', `There is no job ${id}; it may have been removed by retention.`, { id })
}

export function staleClaim(id: string, version: number): QueueError {
  return new QueueError(
    'STALE_CLAIM',
    `Claim ${version} of job ${id} is no longer current; drop this attempt, another worker may hold the job.`,
    { id, version },
  )
}

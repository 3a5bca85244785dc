/** The one list of things that can go wrong, and what each is called on every wire. */

export const ERRORS = {
  BAD_INPUT: { trpc: 'BAD_REQUEST', http: 400 },
  UNAUTHORIZED: { trpc: 'UNAUTHORIZED', http: 401 },
  FORBIDDEN: { trpc: 'FORBIDDEN', http: 403 },
  NOT_FOUND: { trpc: 'NOT_FOUND', http: 404 },
  WRONG_METHOD: { trpc: 'METHOD_NOT_SUPPORTED', http: 405 },
  STALE_CLAIM: { trpc: 'CONFLICT', http: 409 },
  WRONG_STATE: { trpc: 'CONFLICT', http: 409 },
  DUPLICATE_KEY: { trpc: 'CONFLICT', http: 409 },
  TOO_LARGE: { trpc: 'PAYLOAD_TOO_LARGE', http: 413 },
  NOT_JSON: { trpc: 'UNSUPPORTED_MEDIA_TYPE', http: 415 },
  TOO_MANY: { trpc: 'TOO_MANY_REQUESTS', http: 429 },
  BUSY: { trpc: 'SERVICE_UNAVAILABLE', http: 503 },
  CLOSED: { trpc: 'SERVICE_UNAVAILABLE', http: 503 },
  /** Said by clients: there was no answer, so whether something happened is unknown. */
  UNREACHABLE: { trpc: 'SERVICE_UNAVAILABLE', http: 503 },
  /** Not with this database, or not with these settings of the server. */
  UNSUPPORTED: { trpc: 'CONFLICT', http: 409 },
  DISK_FULL: { trpc: 'INTERNAL_SERVER_ERROR', http: 507 },
  INTERNAL: { trpc: 'INTERNAL_SERVER_ERROR', http: 500 },
  STORE_FAILED: { trpc: 'INTERNAL_SERVER_ERROR', http: 500 },
} as const

export type ErrorCode = keyof typeof ERRORS

/** A refusal with a code from the table and a message that says what to do next. */
export class QueueError extends Error {
  override readonly name = 'QueueError'
  readonly code: ErrorCode
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

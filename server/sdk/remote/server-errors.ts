/** The server's answers and refusals, told apart from those of a proxy or of another program at the same address. */
import { ERRORS, type ErrorCode, QueueError } from '../../../shared/errors.ts'

/** A proxy or another program answered. */
export class NotMillrace extends Error {}

/** A response of tRPC: one of the two, unless another program answered. */
export interface Envelope<Answer> {
  readonly result?: { readonly data: Answer }
  readonly error?: unknown
}

/** The answer in a response of tRPC; throws the refusal when it is one. */
export function answerIn<Answer>(envelope: Envelope<Answer> | null | undefined): Answer {
  if (envelope?.result) return envelope.result.data
  if (envelope?.error) throw refusalIn(envelope.error)
  throw new NotMillrace('answered with JSON of another kind')
}

/** A refusal as the server's error formatter writes it. */
export function refusalIn(error: unknown): Error {
  const { message, data } = isObject(error) ? error : {}
  if (typeof message !== 'string' || !isObject(data)) return new NotMillrace('answered with JSON of another kind')
  const { queueCode, details } = data
  if (!isCode(queueCode)) return new NotMillrace(`answered "${message}" without a code`)
  return new QueueError(queueCode, message, isObject(details) ? details : {})
}

/** What is no refusal of the server means that it was not reached. */
export function toQueueError(error: unknown, url: string): QueueError {
  if (error instanceof QueueError) return error
  const reason = error instanceof Error ? error.message : String(error)
  const trouble =
    error instanceof NotMillrace
      ? `${reason}, as Millrace never does; is the address right?`
      : `gave no answer (${causeOf(error) || reason}); is it running?`
  return new QueueError('UNREACHABLE', `The server at ${url} ${trouble}`)
}

/** `fetch failed` has a cause that says why. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return ''
  return causeOf(error.cause) || error.message
}

function isCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(ERRORS, code)
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The outcome of an operation for which the response of a batch has no room. Without the schemas: clients contain this file. */
import { limits } from '../limits.ts'
import type { OperationOutcome } from './batch.ts'

/** The outcome of a read or a claim that was not run, or not delivered, because the response has no room for it. */
export function batchIsFull(): Extract<OperationOutcome, { readonly ok: false }> {
  const { batchResponseBytes } = limits
  const message =
    `The response of this batch would exceed ${batchResponseBytes} bytes; ` +
    'send this operation again, in a smaller batch or alone. It has changed nothing.'
  return { ok: false, error: { code: 'TOO_LARGE', message, details: { batchResponseBytes } } }
}

/** Distinguishes the outcome of `batchIsFull` from that of an operation which is itself too large. */
export function isBatchFull(outcome: OperationOutcome | undefined): boolean {
  return (
    outcome?.ok === false &&
    outcome.error?.code === 'TOO_LARGE' &&
    outcome.error.details?.batchResponseBytes !== undefined
  )
}

/** Errors for writes that were rejected or whose outcome is unknown. */
import { QueueError } from '../../../shared/errors.ts'

/** `reason` is a complete sentence. */
export function storeUnavailable(reason: string): QueueError {
  return new QueueError('BUSY', `${reason} Nothing was stored; try again in a moment.`)
}

/** The connection broke between COMMIT and its response. */
export function outcomeUnknown(reason: string): QueueError {
  return new QueueError(
    'BUSY',
    `${reason} The connection was lost during the commit, so the write may or may not be stored. Try again in a moment: with the ` +
      'same dedupeKey, requestId or version nothing happens twice.',
    { unsure: true },
  )
}

export function closed(): QueueError {
  return new QueueError('CLOSED', 'This queue has been closed in this process, so nothing was stored; open it again.')
}

export function tooManyQueued(queued: number): QueueError {
  return new QueueError('BUSY', `${queued} writes are waiting already; nothing was stored, try again in a moment.`)
}

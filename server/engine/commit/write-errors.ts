/** What is said to whoever asked for a write that was not done, or of which nobody knows whether it was. */
import { QueueError } from '../../../shared/errors.ts'

/** `reason` is a whole sentence. */
export function outOfReach(reason: string): QueueError {
  return new QueueError('BUSY', `${reason} So nothing was stored; try again in a moment.`)
}

/** The connection broke between the wish to store and the answer to it. */
export function nobodyKnows(reason: string): QueueError {
  return new QueueError(
    'BUSY',
    `${reason} It broke off while this was being stored, so it may be stored or not. Try again in a moment: with the same ` +
      'dedupeKey, requestId or version nothing happens twice.',
    { unsure: true },
  )
}

export function closed(): QueueError {
  return new QueueError('CLOSED', 'This queue has been closed in this process, so nothing was stored; open it again.')
}

export function tooManyQueued(queued: number): QueueError {
  return new QueueError('BUSY', `${queued} writes are waiting already; nothing was stored, try again in a moment.`)
}

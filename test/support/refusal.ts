/** Returns the QueueError that a call is expected to throw. */
import { QueueError } from '../../shared/errors.ts'

export function refusal(run: () => unknown): QueueError {
  try {
    run()
  } catch (error) {
    if (error instanceof QueueError) return error
    throw error
  }
  throw new Error('nothing was refused')
}

/** The same for a promise. */
export async function refusedBy(run: Promise<unknown> | (() => Promise<unknown>)): Promise<QueueError> {
  try {
    await (typeof run === 'function' ? run() : run)
  } catch (error) {
    if (error instanceof QueueError) return error
    throw error
  }
  throw new Error('nothing was refused')
}

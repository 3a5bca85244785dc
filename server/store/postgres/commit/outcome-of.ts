/** The outcome of one operation: a refusal concerns that operation alone. */
import { QueueError } from '../../../../shared/errors.ts'
import type { Outcome } from '../../ops.ts'

export async function outcomeOf(run: () => unknown): Promise<Outcome> {
  try {
    return { ok: true, value: await run() }
  } catch (error) {
    if (error instanceof QueueError) return { ok: false, error }
    throw error
  }
}

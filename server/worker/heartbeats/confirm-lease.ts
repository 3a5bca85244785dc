/** Confirms to the queue that a claimed job has arrived, before its handler runs. */
import type { Clock } from '../../base/clock.ts'
import type { Queue } from '../../queue/queue.ts'

export interface ConfirmParts {
  readonly leaseMs: number
  readonly clock: Clock
  readonly heartbeat: () => ReturnType<Queue['heartbeat']>
  /** Resolves when the next try may be made. */
  readonly onError: (error: unknown) => Promise<void>
  readonly giveUp: AbortSignal
}

/** Repeats the heartbeat until it is answered or the lease has ended. `sentAt` is monotonic. */
export async function confirmLease(parts: ConfirmParts): Promise<{ readonly sentAt: number } | 'lost' | 'unconfirmed'> {
  const { leaseMs, clock, heartbeat, onError, giveUp } = parts
  const endsAt = clock.monotonic() + leaseMs
  while (clock.monotonic() < endsAt && !giveUp.aborted) {
    try {
      const sentAt = clock.monotonic()
      const { lost } = await heartbeat()
      return lost.length > 0 ? 'lost' : { sentAt }
    } catch (error) {
      await onError(error)
    }
  }
  return 'unconfirmed'
}

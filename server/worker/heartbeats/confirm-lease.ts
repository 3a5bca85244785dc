/** Confirms the claim of a job with a heartbeat before its handler runs. */
import type { Queue } from '../../../shared/queue.ts'
import type { Clock } from '../../base/clock.ts'

export interface ConfirmLeaseOptions {
  readonly leaseMs: number
  readonly clock: Clock
  readonly heartbeat: () => ReturnType<Queue['heartbeat']>
  /** Resolves when the call may be retried. */
  readonly onError: (error: unknown) => Promise<void>
  readonly giveUp: AbortSignal
}

/** Repeats the heartbeat until it succeeds or the lease has expired. `sentAt` is monotonic. */
export async function confirmLease(
  options: ConfirmLeaseOptions,
): Promise<{ readonly sentAt: number } | 'lost' | 'unconfirmed'> {
  const { leaseMs, clock, heartbeat, onError, giveUp } = options
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

/** Maps job ids to the claims of this process, so that a later claim is never settled. */
import { QueueError } from '../../../shared/errors.ts'
import type { Lease } from '../../store/ops.ts'

/** Ended claims that are remembered, because repeating `completeJob` or `failJob` is allowed. */
const MAX_ENDED = 1_000

export class HeldClaims {
  private readonly held = new Map<string, number>()
  private readonly ended = new Map<string, number>()

  hold({ id, version }: Lease): void {
    this.held.set(id, version)
  }

  find(id: string): Lease {
    const version = this.held.get(id) ?? this.ended.get(id)
    if (version !== undefined) return { id, version }
    throw new QueueError(
      'WRONG_STATE',
      `Job ${id} was not dequeued by this process; only the process that dequeued a job can settle it.`,
      {
        id,
      },
    )
  }

  /** The claim was settled or lost. */
  end({ id, version }: Lease): void {
    this.held.delete(id)
    this.ended.set(id, version)
    const [oldest] = this.ended.keys()
    if (this.ended.size > MAX_ENDED && oldest !== undefined) this.ended.delete(oldest)
  }
}

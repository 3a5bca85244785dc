/** Which claim of a job this process holds: whoever names a job alone speaks for that claim, and for no later one. */
import { QueueError } from '../../../shared/errors.ts'
import type { Lease } from '../../store/ops.ts'

/** Ended claims that may be named once more: repeating what was said is no mistake. */
const MOST_ENDED = 1_000

export class HeldClaims {
  private readonly held = new Map<string, number>()
  private readonly ended = new Map<string, number>()

  hold({ id, version }: Lease): void {
    this.held.set(id, version)
  }

  find(id: string): Lease {
    const version = this.held.get(id) ?? this.ended.get(id)
    if (version !== undefined) return { id, version }
    throw new QueueError('WRONG_STATE', `Job ${id} was not dequeued by this process; only who took a job can end it.`, {
      id,
    })
  }

  /** It was settled, or lost to another. */
  end({ id, version }: Lease): void {
    this.held.delete(id)
    this.ended.set(id, version)
    const [oldest] = this.ended.keys()
    if (this.ended.size > MOST_ENDED && oldest !== undefined) this.ended.delete(oldest)
  }
}

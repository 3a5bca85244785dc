/** Predicts whether a commit with claims can be plain. A wrong prediction costs a rollback and a second transaction. */
import type { Op, OpOf } from '../../../ops.ts'
import type { Commit } from '../../../store.ts'
import type { StoreTimeSource } from '../../connection/clock.ts'

export class PlainOutlook {
  /** Jobs with crashes exist: claims need isolation. */
  isIsolating = false
  private readonly time: StoreTimeSource
  /** When the next job becomes due, by the monotonic time of this process; null: no job waits. */
  private promoteAt: number | null = null

  constructor(time: StoreTimeSource) {
    this.time = time
  }

  committed({ now, due }: Commit): void {
    this.promoteAt = due.promoteAt === null ? null : this.time.monotonic() + due.promoteAt - now
  }

  isPlain(ops: readonly Op[]): boolean {
    const isDue = this.promoteAt !== null && this.promoteAt <= this.time.monotonic()
    return !((this.isIsolating || isDue) && ops.some(isClaim))
  }
}

export function isClaim(op: Op): op is OpOf<'claim'> {
  return op.kind === 'claim'
}

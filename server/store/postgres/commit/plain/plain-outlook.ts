/** Predicts whether a commit can be plain. A wrong prediction costs a rollback and a second transaction. */
import { MINUTE } from '../../../../../shared/limits.ts'
import type { Op, OpOf } from '../../../ops.ts'
import type { Commit } from '../../../store.ts'
import type { StoreTimeSource } from '../../connection/clock.ts'

/** Jobs with keys that this node has claimed and not settled; more of them are forgotten. */
const MAX_REMEMBERED = 10_000

export class PlainOutlook {
  /** Jobs with crashes exist: claims need isolation. */
  isIsolating = false
  private readonly time: StoreTimeSource
  /** When the next job becomes due, by the monotonic time of this process; null: no job waits. */
  private promoteAt: number | null = null
  /** Types whose jobs had keys when they were last claimed, and until when that is believed. */
  private readonly groupedTypes = new Map<string, number>()
  /** Types with jobs of schedules, and until when that is believed. */
  private readonly scheduledTypes = new Map<string, number>()
  /** Jobs of these types that were claimed here. */
  private readonly claimed = new Map<string, string>()

  constructor(time: StoreTimeSource) {
    this.time = time
  }

  committed({ now, due, changes }: Commit): void {
    this.promoteAt = due.promoteAt === null ? null : this.time.monotonic() + due.promoteAt - now
    if (this.groupedTypes.size === 0 && this.claimed.size === 0) return
    for (const { id, type, from, to } of changes) {
      if (from === 'processing') this.claimed.delete(id)
      else if (to === 'processing' && this.groupedTypes.has(type)) this.claimed.set(id, type)
    }
    for (const id of this.claimed.keys()) {
      if (this.claimed.size <= MAX_REMEMBERED) break
      this.claimed.delete(id)
    }
  }

  /** Jobs of this type have keys. */
  hasGroups(type: string): void {
    this.groupedTypes.set(type, this.time.monotonic() + MINUTE)
  }

  /** Completing a job of a schedule changes the schedule too. Such jobs have keys. */
  hasSchedules(type: string): void {
    this.hasGroups(type)
    this.scheduledTypes.set(type, this.time.monotonic() + MINUTE)
  }

  isPlain(ops: readonly Op[]): boolean {
    const isDue = this.promoteAt !== null && this.promoteAt <= this.time.monotonic()
    if ((this.isIsolating || isDue) && ops.some(isClaim)) return false
    return this.scheduledTypes.size === 0 || !ops.some((op) => isSettle(op) && this.isScheduled(op.id))
  }

  /** Some of the jobs have keys. */
  withKeys(ops: readonly Op[]): boolean {
    return ops.some((op) => (isSettle(op) && this.claimed.has(op.id)) || (isClaim(op) && this.claimsGroups(op)))
  }

  private isScheduled(id: string): boolean {
    const type = this.claimed.get(id)
    const until = type === undefined ? undefined : this.scheduledTypes.get(type)
    if (type === undefined || until === undefined) return false
    if (until > this.time.monotonic()) return true
    this.scheduledTypes.delete(type)
    return false
  }

  private claimsGroups({ types }: OpOf<'claim'>): boolean {
    for (const [type, until] of this.groupedTypes) {
      if (until <= this.time.monotonic()) this.groupedTypes.delete(type)
      else if (types === null || types.includes(type)) return true
    }
    return false
  }
}

export function isSettle(op: Op): op is OpOf<'complete'> | OpOf<'fail'> | OpOf<'release'> {
  return op.kind === 'complete' || op.kind === 'fail' || op.kind === 'release'
}

export function isClaim(op: Op): op is OpOf<'claim'> {
  return op.kind === 'claim'
}

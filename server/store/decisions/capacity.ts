/** Claim capacity per type, from pauses, concurrency limits and rate limits. */
import { nextTokenAt } from '../../../shared/token-bucket.ts'
import type { Ready } from '../store.ts'
import { type KnownType, type Rules, WHOLE_QUEUE } from './rules.ts'

/** Exact counts of a type's jobs for the commit under way. */
export interface TypeCounts {
  pending(type: string): number
  processing(type: string): number
}

export class Capacity {
  private readonly counts: TypeCounts
  private readonly rules: Rules
  /** Jobs that claims of this commit have chosen and not yet taken, by type. */
  private readonly chosen = new Map<string, number>()
  private changes = 0

  constructor(counts: TypeCounts, rules: Rules) {
    this.counts = counts
    this.rules = rules
  }

  /** Changes whenever the capacity of any type may have changed. */
  get revision(): number {
    return this.changes
  }

  begin(): void {
    this.changes += 1
    this.chosen.clear()
  }

  /** How many jobs of a type can be claimed now. */
  of({ name, effective }: KnownType, now: number): number {
    let count = effective.paused ? 0 : this.pending(name)
    if (count > 0 && effective.maxConcurrency !== null) {
      count = Math.min(count, effective.maxConcurrency - this.processing(name))
    }
    if (count > 0 && effective.rate !== null) {
      count = Math.min(count, this.rules.tokens(name, effective.rate, effective.burst ?? 1, now))
    }
    return Math.max(0, count)
  }

  /** How many jobs of all types together can be claimed now. */
  ofQueue(now: number): number {
    if (this.rules.isPaused()) return 0
    const limit = this.rules.globalRate()
    return limit ? this.rules.tokens(WHOLE_QUEUE, limit.rate, limit.burst, now) : Number.POSITIVE_INFINITY
  }

  /** A claim has chosen a job of this type: its slot and its tokens are used. */
  take({ name, effective }: KnownType, now: number): void {
    this.changes += 1
    this.chosen.set(name, (this.chosen.get(name) ?? 0) + 1)
    if (effective.rate !== null) this.rules.takeToken(name, effective.rate, effective.burst ?? 1, now)
    const limit = this.rules.globalRate()
    if (limit) this.rules.takeToken(WHOLE_QUEUE, limit.rate, limit.burst, now)
  }

  /** The chosen jobs have been taken: the counts include them from now on. */
  taken(): void {
    this.changes += 1
    this.chosen.clear()
  }

  /** When the next token makes a job of this type claimable. null: only an event can. */
  nextAt({ name, effective }: KnownType, now: number): number | null {
    if (effective.paused || this.rules.isPaused() || this.pending(name) === 0) return null
    if (effective.maxConcurrency !== null && this.processing(name) >= effective.maxConcurrency) return null
    const { rate, burst } = effective
    const limit = this.rules.globalRate()
    const typeAt = rate === null ? now : nextTokenAt(this.rules.bucket(name, rate, burst ?? 1, now), rate, now)
    const queueAt = limit
      ? nextTokenAt(this.rules.bucket(WHOLE_QUEUE, limit.rate, limit.burst, now), limit.rate, now)
      : now
    return Math.max(typeAt, queueAt)
  }

  private pending(type: string): number {
    return this.counts.pending(type) - (this.chosen.get(type) ?? 0)
  }

  private processing(type: string): number {
    return this.counts.processing(type) + (this.chosen.get(type) ?? 0)
  }
}

/** The types among `names` with jobs that can be claimed now, or once a rate limit allows it. */
export function readyTypes(
  names: Iterable<string>,
  rules: Rules,
  capacity: Capacity,
  now: number,
): ReadonlyMap<string, Ready> {
  const ready = new Map<string, Ready>()
  const most = capacity.ofQueue(now)
  for (const name of names) {
    const type = rules.type(name)
    if (!type) continue
    const count = Math.min(most, capacity.of(type, now))
    const nextAt = count > 0 ? null : capacity.nextAt(type, now)
    if (count > 0) ready.set(name, { count, kind: type.kind })
    else if (nextAt !== null) ready.set(name, { count, kind: type.kind, nextAt })
  }
  return ready
}

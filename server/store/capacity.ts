/** How much of each type may run right now: pause, concurrency, rate limits, per type and for the whole queue. */
import { nextTokenAt } from '../../shared/token-bucket.ts'
import { type KnownType, type Rules, WHOLE_QUEUE } from './rules.ts'

/** How many jobs of a type wait and run, exactly, for the commit under way. */
export interface Counted {
  pending(type: string): number
  processing(type: string): number
}

export class Room {
  private readonly counted: Counted
  private readonly rules: Rules
  /** Jobs that claims of this commit have chosen and not yet taken, by type. */
  private readonly chosen = new Map<string, number>()
  private changes = 0

  constructor(counted: Counted, rules: Rules) {
    this.counted = counted
    this.rules = rules
  }

  /** Another number whenever the room of any type may have become another. */
  get revision(): number {
    return this.changes
  }

  begin(): void {
    this.changes += 1
    this.chosen.clear()
  }

  /** How many jobs of a type could be claimed right now. */
  of({ name, effective }: KnownType, now: number): number {
    let room = effective.paused ? 0 : this.pending(name)
    if (room > 0 && effective.maxConcurrency !== null) {
      room = Math.min(room, effective.maxConcurrency - this.processing(name))
    }
    if (room > 0 && effective.rate !== null) {
      room = Math.min(room, this.rules.tokens(name, effective.rate, effective.burst ?? 1, now))
    }
    return Math.max(0, room)
  }

  ofQueue(now: number): number {
    if (this.rules.isPaused()) return 0
    const limit = this.rules.globalRate()
    return limit ? this.rules.tokens(WHOLE_QUEUE, limit.rate, limit.burst, now) : Number.POSITIVE_INFINITY
  }

  /** One job of this type was chosen: its slot and its tokens are gone. */
  take({ name, effective }: KnownType, now: number): void {
    this.changes += 1
    this.chosen.set(name, (this.chosen.get(name) ?? 0) + 1)
    if (effective.rate !== null) this.rules.takeToken(name, effective.rate, effective.burst ?? 1, now)
    const limit = this.rules.globalRate()
    if (limit) this.rules.takeToken(WHOLE_QUEUE, limit.rate, limit.burst, now)
  }

  /** The chosen jobs have been taken: the ledger counts them from here on. */
  taken(): void {
    this.changes += 1
    this.chosen.clear()
  }

  /** When time alone will make a job of this type claimable: a token comes. null: only an event can. */
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
    return this.counted.pending(type) - (this.chosen.get(type) ?? 0)
  }

  private processing(type: string): number {
    return this.counted.processing(type) + (this.chosen.get(type) ?? 0)
  }
}

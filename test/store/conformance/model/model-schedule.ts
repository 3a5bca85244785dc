/** One schedule of the model: its ticks by counting, and which of them become jobs. */
import { HOUR, MINUTE } from '../../../../shared/limits.ts'
import type { CatchUp, Overlap } from '../../../../shared/schedules/schedule.ts'

/** Ticks of one commit, and counted missed ticks. */
const MAX_TICKS = 20
const MAX_MISSED = 1_000
/** With `catchUp: 'none'` a tick is on time for this long. No window is shorter. */
const ON_TIME_MS = MINUTE

export interface ModelSettings {
  readonly every: number
  readonly offset: number
  readonly overlap: Overlap
  readonly catchUp: CatchUp
  readonly catchUpWindowMs: number
  readonly startsAt: number | null
  readonly endsAt: number | null
  readonly maxRuns: number | null
  readonly pauseAfterFailures: number | null
}

export const SETTINGS: ModelSettings = {
  ...{ every: 10 * MINUTE, offset: 0, overlap: 'skip', catchUp: 'one', catchUpWindowMs: 24 * HOUR },
  ...{ startsAt: null, endsAt: null, maxRuns: null, pauseAfterFailures: null },
}

/** A tick that is processed: with a job, unless it is missed. */
export interface ModelTick {
  readonly at: number
  readonly outcome: 'enqueued' | 'missed'
  /** Of its job. */
  readonly previous: number | null
  readonly missed: number
}

/** What is stored of a tick. */
export interface ModelRecord {
  readonly at: number
  readonly origin: 'manual' | 'tick'
  readonly outcome: 'enqueued' | 'missed' | 'skipped'
  readonly jobId: string | null
  readonly missed: number
}

export class ModelSchedule {
  readonly name: string
  declared: ModelSettings
  override: Partial<ModelSettings> = {}
  next: number | null = null
  last: number | null = null
  runs = 0
  failures = 0
  pausedAt: number | null = null
  orphanedAt: number | null = null
  stopsAt: number | null = null
  lastSuccessAt: number | null = null
  lastFailureAt: number | null = null
  readonly records = new Map<number, ModelRecord>()

  constructor(name: string, declared: ModelSettings) {
    this.name = name
    this.declared = declared
  }

  get settings(): ModelSettings {
    return { ...this.declared, ...this.override }
  }

  /** The first tick after an instant that is within the bounds. */
  private after(instant: number): number | null {
    const { every, offset, startsAt, endsAt } = this.settings
    let at = (offset % every) + every * Math.floor(instant / every) - every
    while (at <= instant || at < (startsAt ?? 0)) at += every
    const end = Math.min(endsAt ?? Number.POSITIVE_INFINITY, this.stopsAt ?? Number.POSITIVE_INFINITY)
    return at < end ? at : null
  }

  private get isOver(): boolean {
    const { maxRuns } = this.settings
    return maxRuns !== null && this.runs >= maxRuns
  }

  /** Begins anew: ticks until now, and those that were processed, do not come again. */
  begin(now: number): void {
    this.next = this.pausedAt !== null || this.isOver ? null : this.after(Math.max(now, this.last ?? now))
  }

  pause(now: number): void {
    this.pausedAt ??= now
    this.next = null
  }

  resume(now: number): void {
    if (this.pausedAt === null) return
    this.pausedAt = null
    this.failures = 0
    this.begin(now)
  }

  /** Its owner no longer declares it. */
  orphan(now: number, graceMs: number): void {
    if (this.orphanedAt !== null) return
    this.orphanedAt = now
    this.stopsAt = now + graceMs
    if (this.next !== null && this.next >= this.stopsAt) this.next = null
  }

  /** The ticks of one commit; empty: none is due. */
  due(now: number): readonly ModelTick[] {
    const { catchUp, catchUpWindowMs, maxRuns } = this.settings
    const due: number[] = []
    for (let at = this.next; at !== null && at <= now; at = this.after(at)) due.push(at)
    const latest = due.at(-1)
    if (latest === undefined) return []
    const windowMs = catchUp === 'none' ? ON_TIME_MS : Math.max(ON_TIME_MS, catchUpWindowMs)
    const [old, fresh] = [due.filter((at) => now - at > windowMs), due.filter((at) => now - at <= windowMs)]
    const missed = Math.min(MAX_MISSED, old.length)
    const lastOld = old.at(-1)
    if (catchUp !== 'all' || lastOld === latest) {
      const isFresh = lastOld !== latest
      const before = Math.min(MAX_MISSED, due.length - (isFresh ? 1 : 0))
      const previous = isFresh ? this.last : null
      return [{ at: latest, outcome: isFresh ? 'enqueued' : 'missed', previous, missed: before }]
    }
    const count = Math.min(MAX_TICKS, maxRuns === null ? MAX_TICKS : maxRuns - this.runs)
    const ticks = fresh.slice(0, count).map((at, place): ModelTick => {
      const previous = place > 0 ? fresh[place - 1] : (lastOld ?? this.last)
      return { at, outcome: 'enqueued', previous: previous ?? null, missed: place > 0 ? 0 : missed }
    })
    if (lastOld === undefined) return ticks
    return [{ at: lastOld, outcome: 'missed', previous: null, missed }, ...ticks]
  }

  /** These ticks of `due` are stored, `runs` of them with a job. */
  processed(ticks: readonly ModelTick[], runs: number): void {
    this.last = ticks.at(-1)?.at ?? this.last
    this.runs += runs
    this.next = this.last === null || this.isOver ? null : this.after(this.last)
  }

  jobEnded(isSuccess: boolean, now: number): void {
    if (isSuccess) {
      this.failures = 0
      this.lastSuccessAt = now
      return
    }
    this.failures += 1
    this.lastFailureAt = now
    const { pauseAfterFailures } = this.settings
    if (pauseAfterFailures !== null && this.failures >= pauseAfterFailures) this.pause(now)
  }
}

/** Keeps the exact counts and the minute tallies of a commit: changed in memory per operation, written once at its end. */
import { addHistogram, bucketOf, encodeHistogram, type Histogram } from '../../../../shared/histogram.ts'
import { MINUTE } from '../../../../shared/limits.ts'
import { emptyCounts, type Status, type StatusCounts } from '../../../../shared/status.ts'
import { emptyTally, type Tally } from '../../stats/tally.ts'
import type { Change, Measure } from '../../store.ts'
import type { Client } from '../connection/open.ts'

interface MinuteRecord {
  readonly type: string
  readonly enqueued: number
  readonly completed: number
  readonly failed: number
  readonly dead: number
  readonly waits: string
  readonly runs: string
  readonly run_ms: number
}

export class Ledger {
  private readonly selectCounts
  private readonly selectCountsOf
  private readonly selectMinute
  private readonly writeCount
  private readonly writeMinute
  private counts = new Map<string, StatusCounts>()
  private readonly ready = new Set<string>()
  /** null: not asked for yet. */
  private touched: Set<string> | null = null
  private reloads = 0
  private minute = -1
  private tallies = new Map<string, Tally>()
  /** What changed in this commit; `measures` has an entry for each, mostly undefined. */
  private changed: Change[] = []
  private measures: (Measure | undefined)[] = []

  constructor(client: Client) {
    this.selectCounts = client.prepare<[], { type: string; status: Status; n: number }>(
      'SELECT type, status, n FROM main.millrace_job_counts',
    )
    this.selectCountsOf = client.prepare<[string], { type: string; status: Status; n: number }>(
      'SELECT type, status, n FROM main.millrace_job_counts WHERE type IN (SELECT value FROM json_each(?))',
    )
    this.selectMinute = client.prepare<[number], MinuteRecord>(
      'SELECT * FROM main.millrace_job_minutes WHERE minute = ?',
    )
    this.writeCount = client.prepare(
      'INSERT INTO main.millrace_job_counts (type, status, n) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET n = excluded.n',
    )
    this.writeMinute = client.prepare(
      `INSERT INTO main.millrace_job_minutes (minute, type, enqueued, completed, failed, dead, waits, runs, run_ms)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET enqueued = excluded.enqueued, completed = excluded.completed, failed = excluded.failed,
         dead = excluded.dead, waits = excluded.waits, runs = excluded.runs, run_ms = excluded.run_ms`,
    )
  }

  /** Forgets everything remembered: another connection wrote, or our transaction was lost. `only`: for a commit of these. */
  reload(only: readonly string[] | null = null): void {
    this.counts = new Map()
    this.ready.clear()
    this.reloads += 1
    const rows = only === null ? this.selectCounts.iterate() : this.selectCountsOf.iterate(JSON.stringify(only))
    for (const { type, status, n } of rows) {
      this.countsOf(type)[status] = n
      if (status === 'pending' && n > 0) this.ready.add(type)
    }
    this.minute = -1
  }

  begin(): void {
    this.changed = []
    this.measures = []
  }

  record(change: Change, measure?: Measure): void {
    this.changed.push(change)
    this.measures.push(measure)
    this.apply(change, 1)
  }

  mark(): number {
    return this.changed.length
  }

  /** Takes back what an operation that failed had recorded. */
  rollback(mark: number): void {
    for (const change of this.changed.splice(mark)) this.apply(change, -1)
    this.measures.splice(mark)
  }

  pending(type: string): number {
    return this.counts.get(type)?.pending ?? 0
  }

  processing(type: string): number {
    return this.counts.get(type)?.processing ?? 0
  }

  types(): IterableIterator<string> {
    return this.counts.keys()
  }

  /** The types that have pending jobs. */
  readyTypes(): ReadonlySet<string> {
    return this.ready
  }

  /** Changes when everything was read again: then what is kept of any type may be old. */
  get generation(): number {
    return this.reloads
  }

  /** The types whose jobs changed since the last call, and perhaps more. */
  takeTouched(): Iterable<string> {
    const touched = this.touched ?? []
    this.touched = new Set()
    return touched
  }

  changes(): readonly Change[] {
    return this.changed
  }

  /** What the minute tallies want to know of each change. */
  allMeasures(): readonly (Measure | undefined)[] {
    return this.measures
  }

  /** Writes what changed: one upsert per (type, status) and one per type, however many jobs it was. */
  flush(now: number): void {
    if (this.changed.length === 0) return
    this.openMinute(Math.floor(now / MINUTE))
    const dirty = new Map<string, Set<Status>>()
    const tallied = new Set<string>()
    this.changed.forEach((change, index) => {
      const { type, from, to } = change
      if (from === to) return
      const statuses = dirty.get(type) ?? new Set()
      dirty.set(type, statuses)
      if (from) statuses.add(from)
      if (to) statuses.add(to)
      if (this.tally(change, this.measures[index])) tallied.add(type)
    })
    for (const [type, statuses] of dirty) {
      const counts = this.countsOf(type)
      for (const status of statuses) this.writeCount.run(type, status, counts[status])
    }
    for (const type of tallied) this.saveTally(type)
  }

  private apply(change: Change, sign: 1 | -1): void {
    this.touched?.add(change.type)
    if (change.from === change.to) return
    const counts = this.countsOf(change.type)
    if (change.from) counts[change.from] -= sign
    if (change.to) counts[change.to] += sign
    if (change.from !== 'pending' && change.to !== 'pending') return
    if (counts.pending > 0) this.ready.add(change.type)
    else this.ready.delete(change.type)
  }

  private countsOf(type: string): StatusCounts {
    let counts = this.counts.get(type)
    if (!counts) {
      counts = emptyCounts()
      this.counts.set(type, counts)
    }
    return counts
  }

  private openMinute(minute: number): void {
    if (minute === this.minute) return
    this.minute = minute
    this.tallies = new Map()
    for (const row of this.selectMinute.iterate(minute)) {
      const tally = this.tallyOf(row.type)
      tally.enqueued = row.enqueued
      tally.completed = row.completed
      tally.failed = row.failed
      tally.dead = row.dead
      tally.runMs = row.run_ms
      addHistogram(tally.waits, JSON.parse(row.waits))
      addHistogram(tally.runs, JSON.parse(row.runs))
    }
  }

  private tallyOf(type: string): Tally {
    let tally = this.tallies.get(type)
    if (!tally) {
      tally = emptyTally()
      this.tallies.set(type, tally)
    }
    return tally
  }

  private tally({ type, from, to }: Change, measure: Measure | undefined): boolean {
    if (from !== null && measure === undefined) return false
    const tally = this.tallyOf(type)
    if (from === null) tally.enqueued += 1
    if (measure?.waitMs !== undefined) increment(tally.waits, measure.waitMs)
    if (measure?.runMs !== undefined) {
      increment(tally.runs, measure.runMs)
      tally.runMs += Math.max(0, Math.round(measure.ownMs ?? measure.runMs))
      if (measure.attemptFailed) tally.failed += 1
      if (to === 'completed') tally.completed += 1
      if (to === 'failed') tally.dead += 1
    }
    return true
  }

  private saveTally(type: string): void {
    const t = this.tallyOf(type)
    const [waits, runs] = [encodeHistogram(t.waits), encodeHistogram(t.runs)]
    this.writeMinute.run(this.minute, type, t.enqueued, t.completed, t.failed, t.dead, waits, runs, t.runMs)
  }
}

function increment(histogram: Histogram, durationMs: number): void {
  const bucket = bucketOf(Math.max(0, durationMs))
  histogram[bucket] = (histogram[bucket] ?? 0) + 1
}

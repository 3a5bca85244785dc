/** Exact counts and minute tallies of a commit: updated in memory, written once at its end. */

import { MINUTE } from '../../../../shared/limits.ts'
import { addHistogram, encodeHistogram } from '../../../../shared/stats/histogram.ts'
import { emptyCounts, STATUSES, type StatusCounts } from '../../../../shared/status.ts'
import { columnsOf, type RowOf } from '../../rows/tables.ts'
import { addToTally, emptyTally, isTallied, type Tally } from '../../stats/tally.ts'
import type { Change, Measure } from '../../store.ts'
import type { Client } from '../connection/open.ts'

const COUNT = columnsOf('jobCounts', ['type', 'status', 'n'])
const MINUTE_ROW = columnsOf('jobMinutes', [
  ...(['type', 'enqueued', 'completed', 'failed', 'dead', 'waits', 'runs', 'runMs'] as const),
])

export class Ledger {
  private readonly selectCounts
  private readonly selectCountsOf
  private readonly selectMinute
  private readonly writeCount
  private readonly writeMinute
  private counts = new Map<string, StatusCounts>()
  private readonly ready = new Set<string>()
  /** null: not recorded before the first call of `takeTouched`. */
  private touched: Set<string> | null = null
  private reloads = 0
  private minute = -1
  private tallies = new Map<string, Tally>()
  /** The changes of this commit, and a measure or undefined for each. */
  private changed: Change[] = []
  private measures: (Measure | undefined)[] = []

  constructor(client: Client) {
    this.selectCounts = client.prepare<[], RowOf<typeof COUNT>>(`SELECT ${COUNT.list} FROM main.millrace_job_counts`)
    this.selectCountsOf = client.prepare<[types: string], RowOf<typeof COUNT>>(
      `SELECT ${COUNT.list} FROM main.millrace_job_counts WHERE type IN (SELECT value FROM json_each(?))`,
    )
    this.selectMinute = client.prepare<[minute: number], RowOf<typeof MINUTE_ROW>>(
      `SELECT ${MINUTE_ROW.list} FROM main.millrace_job_minutes WHERE minute = ?`,
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

  /** After a commit of another connection or a rollback: reads the counts again, of the types `only` if given. */
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

  /** Removes the changes that a failed operation recorded. */
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

  /** Changes with each reload: what is cached of any type may then be stale. */
  get generation(): number {
    return this.reloads
  }

  /** The types whose jobs changed since the last call. May include others. */
  takeTouched(): Iterable<string> {
    const touched = this.touched ?? []
    this.touched = new Set()
    return touched
  }

  changes(): readonly Change[] {
    return this.changed
  }

  /** The measure of each change, for the minute tallies. */
  allMeasures(): readonly (Measure | undefined)[] {
    return this.measures
  }

  /** One upsert per (type, status) and one per type, for any number of jobs. */
  flush(now: number): void {
    if (this.changed.length === 0) return
    this.openMinute(Math.floor(now / MINUTE))
    const differences = new Map<string, StatusCounts>()
    const tallied = new Set<string>()
    for (const [index, change] of this.changed.entries()) {
      const { type, from, to } = change
      if (from === to) continue
      let difference = differences.get(type)
      if (!difference) {
        difference = emptyCounts()
        differences.set(type, difference)
      }
      if (from) difference[from] -= 1
      if (to) difference[to] += 1
      const measure = this.measures[index]
      if (!isTallied(change, measure)) continue
      addToTally(this.tallyOf(type), change, measure)
      tallied.add(type)
    }
    for (const [type, difference] of differences) {
      const counts = this.countsOf(type)
      // A worker that completes one job and claims the next leaves the number of running jobs as it is.
      for (const status of STATUSES) if (difference[status] !== 0) this.writeCount.run(type, status, counts[status])
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
      tally.runMs = row.runMs
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

  private saveTally(type: string): void {
    const t = this.tallyOf(type)
    const [waits, runs] = [encodeHistogram(t.waits), encodeHistogram(t.runs)]
    this.writeMinute.run(this.minute, type, t.enqueued, t.completed, t.failed, t.dead, waits, runs, t.runMs)
  }
}

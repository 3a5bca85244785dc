/** What a commit changed, for the counters: every node has rows of its own, so no two nodes wait for each other. */
import { bucketOf, encodeHistogram, type Histogram } from '../../../../shared/histogram.ts'
import { MINUTE } from '../../../../shared/limits.ts'
import type { Status } from '../../../../shared/status.ts'
import { emptyTally, type Tally } from '../../stats/tally.ts'
import type { Change, Measure } from '../../store.ts'
import { columns, type Statements } from '../connection/session.ts'

interface TypeTally extends Tally {
  readonly type: string
}

export class Ledger {
  private readonly node: string
  private readonly changed: Change[] = []
  private readonly measures: (Measure | undefined)[] = []
  private leaseAt: number | null = null

  /** `node`: whose rows are added to. */
  constructor(node: string) {
    this.node = node
  }

  record(change: Change, measure?: Measure): void {
    this.changed.push(change)
    this.measures.push(measure)
  }

  changes(): readonly Change[] {
    return this.changed
  }

  /** What the minute tallies want to know of each change. */
  allMeasures(): readonly (Measure | undefined)[] {
    return this.measures
  }

  /** A lease was given, or made longer. */
  leased(until: number): void {
    if (this.leaseAt === null || until < this.leaseAt) this.leaseAt = until
  }

  /** When the first of the leases given here ends. */
  get firstLeaseAt(): number | null {
    return this.leaseAt
  }

  /** The types whose jobs changed. */
  types(): string[] {
    return [...new Set(this.changed.map(({ type }) => type))]
  }

  flush(session: Statements): void {
    const deltas = this.deltas()
    if (deltas.length > 0) {
      session.send(
        'count',
        `INSERT INTO ${session.schema}millrace_job_counts (node, type, status, n) SELECT $1, * FROM unnest($2::text[], $3::text[], $4::bigint[])
         ON CONFLICT (type, status, node) DO UPDATE SET n = millrace_job_counts.n + excluded.n`,
        [this.node, ...columns(deltas, ({ type, status, n }) => [type, status, n])],
      )
    }
    const tallies = this.tallies()
    if (tallies.length > 0) {
      session.send(
        'tally',
        `INSERT INTO ${session.schema}millrace_job_minutes (minute, type, enqueued, completed, failed, dead, waits, runs, run_ms)
         SELECT $1, * FROM unnest($2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::text[], $8::text[], $9::bigint[])`,
        [
          Math.floor(session.now / MINUTE),
          ...columns(tallies, (t) => [
            t.type,
            t.enqueued,
            t.completed,
            t.failed,
            t.dead,
            encodeHistogram(t.waits),
            encodeHistogram(t.runs),
            t.runMs,
          ]),
        ],
      )
    }
  }

  private deltas(): { type: string; status: Status; n: number }[] {
    const sums = new Map<string, { type: string; status: Status; n: number }>()
    const add = (type: string, status: Status | null, n: number) => {
      if (status === null) return
      const key = `${status} ${type}`
      const sum = sums.get(key) ?? { type, status, n: 0 }
      sums.set(key, { ...sum, n: sum.n + n })
    }
    for (const { type, from, to } of this.changed) {
      add(type, from, -1)
      add(type, to, 1)
    }
    // Sums of nothing are written too: they are how other nodes notice that something happened.
    return [...sums.values()]
  }

  private tallies(): readonly TypeTally[] {
    const tallies = new Map<string, TypeTally>()
    this.changed.forEach(({ type, from, to }, index) => {
      const measure = this.measures[index]
      if (from === to || (from !== null && measure === undefined)) return
      const tally = tallies.get(type) ?? { type, ...emptyTally() }
      tallies.set(type, tally)
      if (from === null) tally.enqueued += 1
      if (measure?.waitMs !== undefined) increment(tally.waits, measure.waitMs)
      if (measure?.runMs === undefined) return
      increment(tally.runs, measure.runMs)
      tally.runMs += Math.max(0, Math.round(measure.ownMs ?? measure.runMs))
      if (measure.attemptFailed) tally.failed += 1
      if (to === 'completed') tally.completed += 1
      if (to === 'failed') tally.dead += 1
    })
    return [...tallies.values()]
  }
}

function increment(histogram: Histogram, durationMs: number): void {
  const bucket = bucketOf(Math.max(0, durationMs))
  histogram[bucket] = (histogram[bucket] ?? 0) + 1
}

/** Changes of a commit, for counters: each node writes separate rows, so no node waits for another. */

import { MINUTE } from '../../../../shared/limits.ts'
import { encodeHistogram } from '../../../../shared/stats/histogram.ts'
import type { Status } from '../../../../shared/status.ts'
import type { Row } from '../../rows/tables.ts'
import { addToTally, emptyTally, isTallied, type Tally } from '../../stats/tally.ts'
import type { Change, Measure } from '../../store.ts'
import { columns, type Statements } from '../connection/session.ts'

interface TypeTally extends Tally {
  readonly type: string
}

type CountDelta = Row<'jobCounts'>

export class Ledger {
  private readonly node: string
  private readonly changed: Change[] = []
  private readonly measures: (Measure | undefined)[] = []
  private leaseAt: number | null = null

  /** `node`: the node whose counter rows are updated. */
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

  /** The measure of each change, for the minute tallies. */
  allMeasures(): readonly (Measure | undefined)[] {
    return this.measures
  }

  /** A lease was granted or extended. */
  leased(until: number): void {
    if (this.leaseAt === null || until < this.leaseAt) this.leaseAt = until
  }

  /** When the first of these leases ends. */
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

  private deltas(): CountDelta[] {
    const sums = new Map<string, CountDelta>()
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
    // Deltas of 0 are written too: other nodes detect the commit by the changed rows.
    return [...sums.values()]
  }

  private tallies(): readonly TypeTally[] {
    const tallies = new Map<string, TypeTally>()
    this.changed.forEach((change, index) => {
      const measure = this.measures[index]
      if (!isTallied(change, measure)) return
      const { type } = change
      const tally = tallies.get(type) ?? { type, ...emptyTally() }
      tallies.set(type, tally)
      addToTally(tally, change, measure)
    })
    return [...tallies.values()]
  }
}

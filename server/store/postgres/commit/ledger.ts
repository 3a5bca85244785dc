/** Changes of a commit, for counters: each node writes separate rows, so no node waits for another. */

import { MINUTE } from '../../../../shared/limits.ts'
import { encodeHistogram } from '../../../../shared/stats/histogram.ts'
import type { Status } from '../../../../shared/status.ts'
import type { Row } from '../../rows/tables.ts'
import { addToTally, emptyTally, isTallied, type Tally } from '../../stats/tally.ts'
import type { Change, Measure } from '../../store.ts'
import { COUNTS, type TypeCounts } from '../claims/readiness.ts'
import { columns, type Session, type Statements } from '../connection/session.ts'

interface TypeTally extends Tally {
  readonly type: string
}

type CountDelta = Omit<Row<'jobCounts'>, 'status' | 'node'> & { readonly status: Status | 'rules' }

export class Ledger {
  private readonly node: string
  private readonly changed: Change[] = []
  private readonly measures: (Measure | undefined)[] = []
  private readonly started = new Map<string, number>()
  private ruleChanges = 0
  private leaseAt: number | null = null

  /** `node`: the node whose counter rows are updated. */
  constructor(node: string) {
    this.node = node
  }

  record(change: Change, measure?: Measure): void {
    this.changed.push(change)
    this.measures.push(measure)
    const { type, from, to } = change
    if (from === 'processing') this.started.set(type, this.startedOf(type) - 1)
    if (to === 'processing') this.started.set(type, this.startedOf(type) + 1)
  }

  /** How many more jobs of a type are processing than before this commit. */
  startedOf(type: string): number {
    return this.started.get(type) ?? 0
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

  /** Counted for the type without a name, by which all nodes notice the change; see Catalog. */
  rulesChanged(times: number): void {
    this.ruleChanges += times
  }

  /** The types whose jobs changed. */
  types(): string[] {
    return [...new Set(this.changed.map(({ type }) => type))]
  }

  flush(session: Statements): void {
    const deltas = this.deltas()
    if (deltas.length > 0) session.send('count', countText(session.schema), this.countValues(deltas))
    const tallies = this.tallies()
    if (tallies.length > 0) session.send('tally', tallyText(session.schema, 1), tallyValues(tallies, session.now))
  }

  /**
   * As `flush`, in one statement that also returns the pending and processing counts of the changed types. It reads the counts from
   * before this commit, so the deltas are added here.
   */
  async flushAndCount(session: Session): Promise<readonly TypeCounts[]> {
    const deltas = this.deltas()
    if (deltas.length === 0) return []
    const tallies = this.tallies()
    const tallied = tallies.length > 0 ? `, tallied AS (${tallyText('', 5)})` : ''
    const rows = await session.rows<TypeCounts>(
      tallies.length > 0 ? 'count-tally-ready' : 'count-ready',
      `WITH counted AS (${countText('')})${tallied}
       ${COUNTS} AND type = ANY($2::text[]) GROUP BY type`,
      [...this.countValues(deltas), ...(tallies.length > 0 ? tallyValues(tallies, session.now) : [])],
    )
    const before = new Map(rows.map((row) => [row.type, row]))
    return this.types().map((type) => {
      const { pending = 0, processing = 0 } = before.get(type) ?? {}
      return {
        type,
        pending: pending + sumOf(deltas, type, 'pending'),
        processing: processing + sumOf(deltas, type, 'processing'),
      }
    })
  }

  private countValues(deltas: readonly CountDelta[]): unknown[] {
    return [this.node, ...columns(deltas, ({ type, status, n }) => [type, status, n])]
  }

  private deltas(): CountDelta[] {
    const sums = new Map<string, { readonly type: string; readonly status: Status | 'rules'; n: number }>()
    const add = (type: string, status: Status | 'rules' | null, n: number) => {
      if (status === null) return
      const key = `${status} ${type}`
      const sum = sums.get(key)
      if (sum) sum.n += n
      else sums.set(key, { type, status, n })
    }
    for (const { type, from, to } of this.changed) {
      add(type, from, -1)
      add(type, to, 1)
    }
    if (this.ruleChanges > 0) add('', 'rules', this.ruleChanges)
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

function countText(schema: string): string {
  return `INSERT INTO ${schema}millrace_job_counts (node, type, status, n) SELECT $1, * FROM unnest($2::text[], $3::text[], $4::bigint[])
    ON CONFLICT (type, status, node) DO UPDATE SET n = millrace_job_counts.n + excluded.n`
}

/** `first`: the number of its first parameter. */
function tallyText(schema: string, first: number): string {
  const types = ['text', 'bigint', 'bigint', 'bigint', 'bigint', 'text', 'text', 'bigint']
  const arrays = types.map((type, place) => `$${first + 1 + place}::${type}[]`).join(', ')
  return `INSERT INTO ${schema}millrace_job_minutes (minute, type, enqueued, completed, failed, dead, waits, runs, run_ms)
    SELECT $${first}::bigint, * FROM unnest(${arrays})`
}

function tallyValues(tallies: readonly TypeTally[], now: number): unknown[] {
  return [
    Math.floor(now / MINUTE),
    ...columns(tallies, (t) => [
      ...[t.type, t.enqueued, t.completed, t.failed, t.dead],
      ...[encodeHistogram(t.waits), encodeHistogram(t.runs), t.runMs],
    ]),
  ]
}

function sumOf(deltas: readonly CountDelta[], type: string, status: Status): number {
  return deltas.find((delta) => delta.type === type && delta.status === status)?.n ?? 0
}

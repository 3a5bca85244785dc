/**
 * Exact job counts in memory, updated by each commit of this connection and reloaded after a commit of another one. Reading them
 * from the table takes 30 ms with 10,000 types, and every event frame needs the totals.
 */
import { emptyCounts, isStatus, type StatusCounts } from '../../../../shared/status.ts'
import { columnsOf, type Row, type TupleOf } from '../../rows/tables.ts'
import type { Change } from '../../store.ts'
import type { Client } from '../connection/open.ts'

const COUNT = columnsOf('jobCounts', ['type', 'status', 'n'])

export class KeptCounts {
  private readonly select
  private readonly selectTotals
  private readonly dataVersion
  /** null: must be loaded. */
  private types: Map<string, StatusCounts> | null = null
  private sums: StatusCounts | null = null
  private seenVersion = -1

  constructor(client: Client) {
    this.select = client
      .prepare<[], TupleOf<typeof COUNT>>(`SELECT ${COUNT.names} FROM millrace_job_counts ORDER BY type`)
      .raw()
    this.selectTotals = client
      .prepare<[], [status: Row<'jobCounts'>['status'], n: number]>(
        'SELECT status, sum(n) FROM millrace_job_counts GROUP BY status',
      )
      .raw()
    this.dataVersion = client.prepare<[], number>('PRAGMA data_version').pluck()
  }

  /** By type, in the order of names. The next commit changes this map in place: copy it to keep it. */
  byType(): ReadonlyMap<string, Readonly<StatusCounts>> {
    this.refresh()
    this.types ??= this.read()
    return this.types
  }

  totals(): StatusCounts {
    this.refresh()
    this.sums ??= this.readTotals()
    return { ...this.sums }
  }

  /** After a commit of this connection. */
  apply(changes: readonly Change[]): void {
    for (const change of changes) {
      if (this.sums) move(this.sums, change)
      const ofType = this.types?.get(change.type)
      if (ofType) move(ofType, change)
      // A new type has to be sorted in.
      else this.types = null
    }
  }

  /** After a commit of this connection with an unknown outcome. */
  forget(): void {
    this.types = null
    this.sums = null
  }

  /** The version is read first: a commit between the two reads is detected by the next call. */
  private refresh(): void {
    const version = this.dataVersion.get() ?? -1
    if (version !== this.seenVersion) this.forget()
    this.seenVersion = version
  }

  private read(): Map<string, StatusCounts> {
    const types = new Map<string, StatusCounts>()
    for (const [type, status, n] of this.select.all()) {
      const ofType = types.get(type) ?? emptyCounts()
      types.set(type, ofType)
      if (isStatus(status)) ofType[status] = n
    }
    return types
  }

  private readTotals(): StatusCounts {
    const totals = emptyCounts()
    for (const [status, n] of this.selectTotals.all()) if (isStatus(status)) totals[status] = n
    return totals
  }
}

/** A deep copy: the caller may keep and change it. */
export function copyCounts(counts: ReadonlyMap<string, Readonly<StatusCounts>>): Map<string, StatusCounts> {
  const copy = new Map<string, StatusCounts>()
  for (const [type, ofType] of counts) copy.set(type, { ...ofType })
  return copy
}

function move(counts: StatusCounts, { from, to }: Change): void {
  if (from) counts[from] -= 1
  if (to) counts[to] += 1
}

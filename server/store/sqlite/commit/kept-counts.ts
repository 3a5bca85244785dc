/**
 * The exact counts in memory, updated by each commit of this connection and read again after a commit of another one: reading
 * them from the table takes 30 ms with 10,000 types, and every event frame needs the totals.
 */
import { emptyCounts, isStatus, type StatusCounts } from '../../../../shared/status.ts'
import type { Change } from '../../store.ts'
import type { Client } from '../connection/open.ts'

export class KeptCounts {
  private readonly select
  private readonly selectTotals
  private readonly dataVersion
  /** null: not read since the last commit of another connection. */
  private types: Map<string, StatusCounts> | null = null
  private sums: StatusCounts | null = null
  private seenVersion = -1

  constructor(client: Client) {
    this.select = client
      .prepare<[], [type: string, status: string, n: number]>(
        'select type, status, n from millrace_job_counts order by type',
      )
      .raw()
    this.selectTotals = client
      .prepare<[], [status: string, n: number]>('select status, sum(n) from millrace_job_counts group by status')
      .raw()
    this.dataVersion = client.prepare<[], number>('pragma data_version').pluck()
  }

  /** By type, in the order of their names. The next commit changes this very map: copy what is kept longer. */
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
      // A new type has a place in the order.
      else this.types = null
    }
  }

  /** After a commit of this connection whose outcome is not known. */
  forget(): void {
    this.types = null
    this.sums = null
  }

  /** The version is read first: a commit between the two reads shows at the next call. */
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

/** The values too: the caller may keep and change them. */
export function copyCounts(counts: ReadonlyMap<string, Readonly<StatusCounts>>): Map<string, StatusCounts> {
  const copy = new Map<string, StatusCounts>()
  for (const [type, ofType] of counts) copy.set(type, { ...ofType })
  return copy
}

function move(counts: StatusCounts, { from, to }: Change): void {
  if (from) counts[from] -= 1
  if (to) counts[to] += 1
}

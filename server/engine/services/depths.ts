/** How many jobs each type had, minute by minute: which rows are recorded, and what they say together. */
import type { StatusCounts } from '../../../shared/status.ts'
import type { TypeDepth } from '../../store/ops.ts'
import type { DepthRow } from '../../store/records.ts'

/** The row of all types: it is written last, so a minute that has one is complete. */
export const ALL_TYPES = ''
/**
 * A row is written when a depth has changed, and for every type that has jobs in each such minute: a standing backlog of
 * 10,000 types costs a fifteenth of a row a minute each, and a reader has to look back no further.
 */
export const FULL_EVERY = 15

export interface Depths {
  /** Minutes since 1970 that were recorded, oldest first. One that is missing is unknown, not zero. */
  readonly minutes: readonly number[]
  /** At the end of each of these minutes; a type that is missing had no jobs. */
  readonly types: Readonly<Record<string, { readonly ready: readonly number[]; readonly backlog: readonly number[] }>>
}

export function depthsOf(counts: ReadonlyMap<string, StatusCounts>): ReadonlyMap<string, TypeDepth> {
  const depths = new Map<string, TypeDepth>()
  for (const [type, { scheduled, pending, processing, retrying }] of counts) {
    depths.set(type, { type, ready: pending, backlog: scheduled + pending + processing + retrying })
  }
  return depths
}

/** Every type that has jobs; since `before`, the minute before this one, only those that changed. */
export function toRecord(
  depths: ReadonlyMap<string, TypeDepth>,
  minute: number,
  before: ReadonlyMap<string, TypeDepth> | null,
): readonly TypeDepth[] {
  const all = [...depths.values()]
  const total = { type: ALL_TYPES, ready: sum(all, 'ready'), backlog: sum(all, 'backlog') }
  const rows = all.filter((now) => {
    if (before === null || isFull(minute)) return now.backlog > 0
    const then = before.get(now.type)
    return now.ready !== (then?.ready ?? 0) || now.backlog !== (then?.backlog ?? 0)
  })
  // A type whose last job was removed with the type itself.
  const gone = [...(before?.values() ?? [])].filter(({ type, backlog }) => backlog > 0 && !depths.has(type))
  return [...rows, ...gone.map(({ type }) => ({ type, ready: 0, backlog: 0 })), total]
}

interface Series {
  readonly ready: number[]
  readonly backlog: number[]
}

/** Rows are in order of their minutes, and begin at `sinceMinute - FULL_EVERY`. */
export function readDepths(rows: readonly DepthRow[], sinceMinute: number): Depths {
  const minutes: number[] = []
  const types = new Map<string, Series>()
  let current = new Map<string, DepthRow>()
  let last = sinceMinute - FULL_EVERY - 1
  let isKnown = false
  for (const [minute, ofMinute] of byMinute(rows)) {
    if (!ofMinute.some(({ type }) => type === ALL_TYPES)) continue
    // The first minute behind a gap is recorded as a whole, too.
    if (isFull(minute) || minute !== last + 1) {
      isKnown = true
      current = new Map()
    }
    last = minute
    for (const row of ofMinute) if (row.type !== ALL_TYPES) current.set(row.type, row)
    if (!isKnown || minute < sinceMinute) continue
    for (const [type, { ready, backlog }] of current) {
      const series = types.get(type) ?? { ready: [], backlog: [] }
      types.set(type, series)
      pad(series, minutes.length)
      series.ready.push(ready)
      series.backlog.push(backlog)
    }
    minutes.push(minute)
  }
  for (const series of types.values()) pad(series, minutes.length)
  return { minutes, types: Object.fromEntries(types) }
}

/** In the minutes that say nothing of it a type had no jobs. */
function pad({ ready, backlog }: Series, length: number): void {
  while (ready.length < length) ready.push(0)
  while (backlog.length < length) backlog.push(0)
}

function isFull(minute: number): boolean {
  return minute % FULL_EVERY === 0
}

function byMinute(rows: readonly DepthRow[]): ReadonlyMap<number, readonly DepthRow[]> {
  const groups = new Map<number, DepthRow[]>()
  for (const row of rows) {
    const group = groups.get(row.minute)
    if (group) group.push(row)
    else groups.set(row.minute, [row])
  }
  return groups
}

function sum(depths: readonly TypeDepth[], key: 'ready' | 'backlog'): number {
  return depths.reduce((total, depth) => total + depth[key], 0)
}

/** Depths per type and minute: which rows are recorded, and how a series is read from them. */
import type { Depths } from '../../../shared/stats/stats.ts'
import type { StatusCounts } from '../../../shared/status.ts'
import type { TypeDepth } from '../../store/ops.ts'
import type { DepthRow } from '../../store/records.ts'

/** The type of the total row. It is written last, so a minute that has one is complete. */
export const ALL_TYPES = ''
/**
 * In minutes divisible by this every type with jobs gets a row; in other minutes only types whose depth changed. A constant backlog
 * of a type costs one row in 15 minutes, and a reader has to look back 15 minutes at most.
 */
export const FULL_EVERY = 15

export function depthsOf(counts: ReadonlyMap<string, StatusCounts>): ReadonlyMap<string, TypeDepth> {
  const depths = new Map<string, TypeDepth>()
  for (const [type, { scheduled, blocked, pending, processing, retrying }] of counts) {
    depths.set(type, { type, ready: pending, backlog: scheduled + blocked + pending + processing + retrying })
  }
  return depths
}

/** Rows of all types that have jobs; with `before`, the depths one minute earlier, only of those that changed. */
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

/** `rows` are ordered by minute and begin at `sinceMinute - FULL_EVERY`. */
export function readDepths(rows: readonly DepthRow[], sinceMinute: number): Depths {
  const minutes: number[] = []
  const types = new Map<string, Series>()
  let current = new Map<string, DepthRow>()
  let last = sinceMinute - FULL_EVERY - 1
  let isKnown = false
  for (const [minute, ofMinute] of byMinute(rows)) {
    if (!ofMinute.some(({ type }) => type === ALL_TYPES)) continue
    // The first minute after a gap also has rows of all types.
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

/** A type without a row had no jobs in that minute. */
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

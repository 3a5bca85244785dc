/**
 * Live job list whose rows do not jump: pure transitions for reads, pushed frames, hold and release. While the list is held, rows
 * keep their places and new jobs wait. The newest read is shown on release.
 */
import type { JobSummary } from '../../shared/job.ts'
import { limits } from '../../shared/limits.ts'
import type { Status } from '../../shared/status.ts'
import type { Frame } from './frame.ts'

/** Pushed changes are kept for at least this time, because no read takes longer. */
const KEEP_CHANGES_MS = 15_000
const MAX_CHANGES = 2_000

export interface LiveList {
  /**
   * A feed shows the newest jobs of the whole queue, at most this many. null: a filtered list, to which older rows can be appended.
   * Frames alone decide whether a job belongs to a feed. A filter may depend on data that frames do not carry.
   */
  readonly maxRows: number | null
  readonly isHeld: boolean
  /** Rows in view, newest first. */
  readonly rows: readonly JobSummary[]
  /** Rows in view whose job was deleted: they keep their place until the list is released. */
  readonly removed: ReadonlySet<string>
  /** Rows in view that changed since they were read. */
  readonly stale: ReadonlySet<string>
  /** Cursor of the rows after the last one in view; null: there are no more. */
  readonly nextCursor: string | null
  readonly total: number | null
  /** Number of new jobs that wait; a lower bound when `isWaitingMore`. */
  readonly waiting: number
  readonly isWaitingMore: boolean
  /** The newest read, shown on release. */
  readonly newest: Reading | null
  /** Changes from frames, by job id. A read that started before a change must not undo it. */
  readonly changes: ReadonlyMap<string, { readonly to: Status | null; readonly at: number }>
}

export interface Reading {
  readonly jobs: readonly JobSummary[]
  readonly nextCursor: string | null
  readonly total: number | null
  readonly startedAt: number
  /** The start of the list, behind which older rows may stay. false: one page by number. */
  readonly isHead: boolean
}

/** The part of a filter that a frame can be matched against. */
export interface ListScope {
  readonly type: string | null
  readonly statuses: readonly Status[] | null
}

export function emptyList(maxRows: number | null = null): LiveList {
  return {
    maxRows,
    isHeld: false,
    rows: [],
    removed: new Set(),
    stale: new Set(),
    nextCursor: null,
    total: null,
    waiting: 0,
    isWaitingMore: false,
    newest: null,
    changes: new Map(),
  }
}

export function matchesScope({ statuses }: ListScope, { status }: Pick<JobSummary, 'status'>): boolean {
  return statuses === null || statuses.includes(status)
}

/** Number of rows to read next. A held list reads past the waiting jobs, so that its rows stay current. */
export function readLimit(list: LiveList | undefined, size: number): number {
  if (!list) return size
  const { rows, isHeld, maxRows, waiting } = list
  if (maxRows !== null) return isHeld && rows.length > 0 ? Math.min(limits.list, rows.length + waiting + size) : size
  return Math.min(limits.list, Math.max(size, isHeld ? rows.length + size : rows.length))
}

/** Applies a read of the list. */
export function applyRead(list: LiveList, reading: Reading, scope: ListScope): LiveList {
  const isFeed = list.maxRows !== null
  const changes = changesSince(list, reading.startedAt)
  const current = { ...reading, jobs: withChanges(reading.jobs, changes) }
  // A feed is read again for every change of its rows. Other lists read the changed rows alone.
  const changed = isFeed ? [] : current.jobs.filter(({ id }) => changes.has(id)).map(({ id }) => id)
  if (!list.isHeld || list.rows.length === 0) {
    const next = showReading({ ...list, changes }, current)
    return { ...next, stale: new Set([...next.stale, ...changed]) }
  }
  const found = new Map(current.jobs.map((job) => [job.id, job]))
  const [lowest, highest] = [lowestSeq(current), highestSeq(current)]
  // A row inside the range of the read that is not in the read was deleted, or changed without a frame.
  const missing = list.rows
    .filter(({ id, seq }) => !found.has(id) && lowest < seq && seq < highest && !list.removed.has(id))
    .filter((row) => matchesScope(scope, row))
    .map(({ id }) => id)
  const stillStale = [...list.stale].filter((id) => !found.has(id))
  const arrived = arrivals(list, current)
  const isWaitingMore = current.nextCursor !== null && arrived.length > 0 && arrived.at(-1) === current.jobs.at(-1)
  return {
    ...list,
    rows: list.rows.map((row) => found.get(row.id) ?? row),
    removed: isFeed ? new Set([...list.removed, ...missing]) : list.removed,
    stale: new Set([...stillStale, ...changed, ...(isFeed ? [] : missing)]),
    total: current.total,
    // Frames may have counted more jobs than this read reaches.
    waiting: isFeed && isWaitingMore ? Math.max(list.waiting, arrived.length) : arrived.length,
    isWaitingMore,
    newest: current,
    changes,
  }
}

/** Appends older rows behind those in view. */
export function append(list: LiveList, more: Omit<Reading, 'isHead'>): LiveList {
  const shown = new Set(list.rows.map(({ id }) => id))
  const added = withChanges(more.jobs, changesSince(list, more.startedAt)).filter(({ id }) => !shown.has(id))
  return { ...list, rows: [...list.rows, ...added], nextCursor: more.nextCursor, newest: null }
}

/** Applies a read of one row; null: the job was deleted. */
export function applyRowRead(list: LiveList, id: string, job: JobSummary | null, startedAt: number): LiveList {
  const isOutdated = (list.changes.get(id)?.at ?? 0) > startedAt
  const stale = new Set(list.stale)
  if (!isOutdated) stale.delete(id)
  if (job === null) return { ...list, stale, removed: new Set([...list.removed, id]) }
  const [current = null] = withChanges([job], isOutdated ? list.changes : new Map())
  return current ? { ...list, stale, rows: list.rows.map((row) => (row.id === id ? current : row)) } : list
}

/** Applies a pushed frame: rows change at once. `needsRead` decides whether the list must be read as well. */
export function applyFrame(list: LiveList, frame: Pick<Frame, 'changes' | 'total'>, at: number): LiveList {
  const kept =
    list.changes.size < MAX_CHANGES
      ? list.changes
      : [...list.changes].filter(([, change]) => change.at > at - KEEP_CHANGES_MS)
  const changes = new Map(kept)
  for (const { id, to } of frame.changes) changes.set(id, { to, at })
  return countCreated(patchRows({ ...list, changes }, frame), frame)
}

function patchRows(list: LiveList, frame: Pick<Frame, 'changes'>): LiveList {
  const last = new Map(frame.changes.map(({ id, to }) => [id, to]))
  const changed = list.rows.filter(({ id }) => last.has(id)).map(({ id }) => id)
  if (changed.length === 0) return list
  const deleted = changed.filter((id) => last.get(id) === null)
  const rows = list.rows.map((row) => {
    const status = last.get(row.id)
    return status ? { ...row, status } : row
  })
  const stale = new Set([...list.stale, ...changed.filter((id) => !deleted.includes(id) && !list.removed.has(id))])
  if (list.maxRows !== null && !list.isHeld) {
    return { ...list, stale, rows: rows.filter(({ id }) => !deleted.includes(id)) }
  }
  return { ...list, stale, rows, removed: new Set([...list.removed, ...deleted]) }
}

/** A held feed counts new jobs before the next read. */
function countCreated(list: LiveList, frame: Pick<Frame, 'changes' | 'total'>): LiveList {
  if (list.maxRows === null || !list.isHeld || list.rows.length === 0) return list
  const created = frame.changes.filter(({ from }) => from === null).length
  const isWaitingMore = list.isWaitingMore || frame.total > frame.changes.length
  return { ...list, waiting: list.waiting + created, isWaitingMore }
}

/** Changes of jobs that are not in view and cannot come into view need no read. */
export function needsRead(list: LiveList | undefined, frame: Frame, scope: ListScope): boolean {
  if (!list || frame.refetch || frame.total > frame.changes.length) return true
  const isFeed = list.maxRows !== null
  const known = new Set([...list.rows, ...(isFeed ? (list.newest?.jobs ?? []) : [])].map(({ id }) => id))
  return frame.changes.some(({ id, type, from, to }) => {
    const mayMatch = to !== null && matchesScope(scope, { status: to }) && (scope.type === null || scope.type === type)
    return known.has(id) || (isFeed ? from === null : mayMatch)
  })
}

/** Keeps the rows in view in their places until `release`. */
export function hold(list: LiveList): LiveList {
  return list.isHeld ? list : { ...list, isHeld: true }
}

/** Ends a hold: waiting jobs come into view and deleted rows disappear. */
export function release(list: LiveList): LiveList {
  return { ...showNewest(list), isHeld: false }
}

/** Brings waiting jobs into view. A held list stays held. */
export function showNewest(list: LiveList): LiveList {
  if (list.newest) return showReading(list, { ...list.newest, jobs: withChanges(list.newest.jobs, list.changes) })
  const rows = list.rows.filter(({ id }) => !list.removed.has(id))
  const isFeed = list.maxRows !== null
  return { ...list, rows, removed: new Set(), ...(isFeed && { waiting: 0, isWaitingMore: false }) }
}

/** Reverts an optimistic change of one row. */
export function restore(list: LiveList, job: JobSummary): LiveList {
  const removed = new Set(list.removed)
  const changes = new Map(list.changes)
  removed.delete(job.id)
  changes.delete(job.id)
  return { ...list, removed, changes, rows: list.rows.map((row) => (row.id === job.id ? job : row)) }
}

function showReading(list: LiveList, reading: Reading): LiveList {
  const { maxRows, isHeld, changes } = list
  const shown = { ...emptyList(maxRows), isHeld, changes, total: reading.total }
  if (maxRows !== null) return { ...shown, rows: reading.jobs.slice(0, maxRows) }
  const lowest = lowestSeq(reading)
  const older = reading.isHead ? list.rows.filter(({ id, seq }) => seq < lowest && !list.removed.has(id)) : []
  const olderIds = new Set(older.map(({ id }) => id))
  return {
    ...shown,
    rows: [...reading.jobs, ...older],
    stale: new Set([...list.stale].filter((id) => olderIds.has(id))),
    nextCursor: older.length > 0 ? list.nextCursor : reading.nextCursor,
  }
}

/** Jobs of a read that are new to a held list. Older jobs, which a longer read contains as well, do not count. */
function arrivals({ rows, nextCursor, maxRows }: LiveList, { jobs, isHead }: Reading): readonly JobSummary[] {
  const shown = new Set(rows.map(({ id }) => id))
  const lowestShown = nextCursor === null && isHead ? 0 : (rows.at(-1)?.seq ?? 0)
  const bottom = maxRows === null ? lowestShown : (rows[0]?.seq ?? 0)
  return jobs.filter(({ id, seq }) => !shown.has(id) && seq > bottom)
}

/** The read contains every match above this. A search may return few rows, or none, before it reaches the end. */
function lowestSeq({ jobs, nextCursor }: Reading): number {
  return nextCursor === null ? 0 : (jobs.at(-1)?.seq ?? Number.POSITIVE_INFINITY)
}

function highestSeq({ jobs, isHead }: Reading): number {
  return isHead ? Number.POSITIVE_INFINITY : (jobs[0]?.seq ?? 0)
}

function changesSince({ changes }: LiveList, startedAt: number): LiveList['changes'] {
  return new Map([...changes].filter(([, { at }]) => at > startedAt))
}

function withChanges(jobs: readonly JobSummary[], changes: LiveList['changes']): readonly JobSummary[] {
  return jobs.flatMap((job) => {
    const change = changes.get(job.id)
    if (!change) return [job]
    return change.to === null ? [] : [{ ...job, status: change.to }]
  })
}

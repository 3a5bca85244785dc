/** A list of jobs that stays where it is while jobs change: pure steps from readings, pushed frames and the reader's attention. */
import type { JobSummary } from '../../../../shared/job.ts'
import type { Status } from '../../../../shared/status.ts'
import type { Frame } from '../../../live/frame.ts'

/** What frames said is forgotten after this time: no reading takes longer. */
const TOLD_FOR_MS = 15_000
const MAX_TOLD = 2_000

export interface LiveList {
  /** In view, newest first. */
  readonly rows: readonly JobSummary[]
  /** Rows in view whose job is gone: they keep their place until the list moves on. */
  readonly removed: ReadonlySet<string>
  /** Rows in view that changed since they were read. */
  readonly stale: ReadonlySet<string>
  /** Where the rows after the last one in view begin; null: there are none. */
  readonly nextCursor: string | null
  readonly total: number | null
  /** How many would come into view, at least. */
  readonly waiting: number
  readonly isWaitingMore: boolean
  /** The last reading, which is shown when the list moves on. */
  readonly newest: Reading | null
  /** What frames said, and when: a reading that began earlier must not undo it. */
  readonly told: ReadonlyMap<string, { readonly to: Status | null; readonly at: number }>
}

export interface Reading {
  readonly jobs: readonly JobSummary[]
  readonly nextCursor: string | null
  readonly total: number | null
  readonly startedAt: number
  /** It is the beginning of the list, behind which older rows may stand; otherwise one page by itself. */
  readonly isHead: boolean
}

/** What can be told of a filter from a frame alone. */
export interface Scope {
  readonly type: string | null
  readonly statuses: readonly Status[] | null
}

const NOTHING: LiveList = {
  rows: [],
  removed: new Set(),
  stale: new Set(),
  nextCursor: null,
  total: null,
  waiting: 0,
  isWaitingMore: false,
  newest: null,
  told: new Map(),
}

export function belongs({ statuses }: Scope, { status }: Pick<JobSummary, 'status'>): boolean {
  return statuses === null || statuses.includes(status)
}

/** The list was read. While held, rows in view keep their places and what is new waits. */
export function read(known: LiveList = NOTHING, reading: Reading, scope: Scope, isHeld: boolean): LiveList {
  const told = new Map([...known.told].filter(([, { at }]) => at > reading.startedAt))
  const current = { ...reading, jobs: asTold(reading.jobs, told) }
  const late = current.jobs.filter(({ id }) => told.has(id)).map(({ id }) => id)
  if (!isHeld || known.rows.length === 0) {
    const next = moved({ ...known, told }, current)
    return { ...next, stale: new Set([...next.stale, ...late]) }
  }
  const found = new Map(current.jobs.map((job) => [job.id, job]))
  const [lowest, highest] = [lowestOf(current), highestOf(current)]
  const shown = new Set(known.rows.map(({ id }) => id))
  const isInside = ({ seq }: JobSummary) => lowest < seq && seq < highest
  // It stands between the ends of the reading and is not in it: gone, or changed in a way that no frame told.
  const lost = known.rows.filter(
    (row) => !found.has(row.id) && isInside(row) && belongs(scope, row) && !known.removed.has(row.id),
  )
  const still = [...known.stale].filter((id) => !found.has(id))
  const bottom = known.nextCursor === null && reading.isHead ? 0 : (known.rows.at(-1)?.seq ?? 0)
  const arrived = current.jobs.filter(({ id, seq }) => !shown.has(id) && seq > bottom)
  return {
    ...known,
    rows: known.rows.map((row) => found.get(row.id) ?? row),
    stale: new Set([...still, ...late, ...lost.map(({ id }) => id)]),
    total: current.total,
    waiting: arrived.length,
    isWaitingMore: current.nextCursor !== null && arrived.length > 0 && arrived.at(-1) === current.jobs.at(-1),
    newest: current,
    told,
  }
}

/** More rows, behind those in view. */
export function append(known: LiveList, more: Omit<Reading, 'isHead'>): LiveList {
  const shown = new Set(known.rows.map(({ id }) => id))
  const told = new Map([...known.told].filter(([, { at }]) => at > more.startedAt))
  const added = asTold(more.jobs, told).filter(({ id }) => !shown.has(id))
  return { ...known, rows: [...known.rows, ...added], nextCursor: more.nextCursor, newest: null }
}

/** One row was read by itself; null: it is gone. */
export function readOne(known: LiveList, id: string, job: JobSummary | null, startedAt: number): LiveList {
  const isOvertaken = (known.told.get(id)?.at ?? 0) > startedAt
  const stale = new Set(known.stale)
  if (!isOvertaken) stale.delete(id)
  if (job === null) return { ...known, stale, removed: new Set([...known.removed, id]) }
  const [current = null] = asTold([job], isOvertaken ? known.told : new Map())
  return current ? { ...known, stale, rows: known.rows.map((row) => (row.id === id ? current : row)) } : known
}

/** A frame was pushed: rows change at once, what it cannot say is read again (see `wantsReading`). */
export function hear(known: LiveList, frame: Pick<Frame, 'changes'>, at: number): LiveList {
  const kept =
    known.told.size < MAX_TOLD ? known.told : [...known.told].filter(([, told]) => told.at > at - TOLD_FOR_MS)
  const told = new Map(kept)
  for (const { id, to } of frame.changes) told.set(id, { to, at })
  const last = new Map(frame.changes.map(({ id, to }) => [id, to]))
  const changed = known.rows.filter(({ id }) => last.has(id)).map(({ id }) => id)
  if (changed.length === 0) return { ...known, told }
  const removed = new Set([...known.removed, ...changed.filter((id) => last.get(id) === null)])
  const rows = known.rows.map((row) => {
    const status = last.get(row.id)
    return status ? { ...row, status } : row
  })
  return {
    ...known,
    told,
    rows,
    removed,
    stale: new Set([...known.stale, ...changed.filter((id) => !removed.has(id))]),
  }
}

/** Changes of jobs that are not in view and cannot come into view are no reason to read. */
export function wantsReading(known: LiveList | undefined, frame: Frame, scope: Scope): boolean {
  if (!known || frame.refetch || frame.total > frame.changes.length) return true
  const shown = new Set(known.rows.map(({ id }) => id))
  return frame.changes.some(({ id, type, to }) => {
    const mayMatch = to !== null && belongs(scope, { status: to }) && (scope.type === null || scope.type === type)
    return mayMatch || shown.has(id)
  })
}

/** The reader lets the list move on: what waited comes into view, what is gone goes. */
export function release(known: LiveList): LiveList {
  if (known.newest) return moved(known, { ...known.newest, jobs: asTold(known.newest.jobs, known.told) })
  if (known.removed.size === 0) return known
  return { ...known, rows: known.rows.filter(({ id }) => !known.removed.has(id)), removed: new Set() }
}

/** An act that was taken back: the row is what it was. */
export function restore(known: LiveList, job: JobSummary): LiveList {
  const removed = new Set(known.removed)
  const told = new Map(known.told)
  removed.delete(job.id)
  told.delete(job.id)
  return { ...known, removed, told, rows: known.rows.map((row) => (row.id === job.id ? job : row)) }
}

function moved(known: LiveList, reading: Reading): LiveList {
  const lowest = lowestOf(reading)
  const older = reading.isHead ? known.rows.filter(({ id, seq }) => seq < lowest && !known.removed.has(id)) : []
  const olderIds = new Set(older.map(({ id }) => id))
  return {
    ...NOTHING,
    rows: [...reading.jobs, ...older],
    stale: new Set([...known.stale].filter((id) => olderIds.has(id))),
    nextCursor: older.length > 0 ? known.nextCursor : reading.nextCursor,
    total: reading.total,
    told: known.told,
  }
}

/** Everything above this is in the reading. With a search a reading may be short, or empty, and still not be the end. */
function lowestOf({ jobs, nextCursor }: Reading): number {
  return nextCursor === null ? 0 : (jobs.at(-1)?.seq ?? Number.POSITIVE_INFINITY)
}

function highestOf({ jobs, isHead }: Reading): number {
  return isHead ? Number.POSITIVE_INFINITY : (jobs[0]?.seq ?? 0)
}

function asTold(jobs: readonly JobSummary[], told: LiveList['told']): readonly JobSummary[] {
  return jobs.flatMap((job) => {
    const news = told.get(job.id)
    if (!news) return [job]
    return news.to === null ? [] : [{ ...job, status: news.to }]
  })
}

/** What the list of recent jobs knows and shows: pure steps from reads, pushed frames and the reader's attention. */
import type { JobSummary } from '../../../shared/job.ts'
import { limits } from '../../../shared/limits.ts'
import type { Status } from '../../../shared/status.ts'
import type { Frame } from '../../live/frame.ts'

export const SHOWN = 100
/** Reads clear what frames said; a page that nobody looks at hears frames and does not read. */
const MAX_TOLD = 2_000

export interface RecentJobs {
  /** Everything known that is in view or waits for it, newest first. */
  readonly rows: readonly JobSummary[]
  /** The ids in view while newer jobs wait; null: the newest are in view. */
  readonly pinned: ReadonlySet<string> | null
  /** Pinned rows whose job is gone: they keep their place until the list moves on. */
  readonly removed: ReadonlySet<string>
  /** How many jobs wait, at least. */
  readonly waiting: number
  readonly isWaitingMore: boolean
  /** What frames said, and when: a read that began earlier must not undo it. */
  readonly told: ReadonlyMap<string, { readonly to: Status | null; readonly at: number }>
}

const NOTHING: RecentJobs = {
  rows: [],
  pinned: null,
  removed: new Set(),
  waiting: 0,
  isWaitingMore: false,
  told: new Map(),
}

/** How many to read: those in view stay fresh behind the ones that wait. */
export function readLimit({ pinned, waiting }: RecentJobs = NOTHING): number {
  return pinned ? Math.min(limits.list, pinned.size + waiting + SHOWN) : SHOWN
}

export function visible({ rows, pinned }: RecentJobs): readonly JobSummary[] {
  return pinned ? rows.filter(({ id }) => pinned.has(id)) : rows.slice(0, SHOWN)
}

/** A page of the newest jobs has come; the reading began at `startedAt`. */
export function read(
  known: RecentJobs = NOTHING,
  page: readonly JobSummary[],
  limit: number,
  startedAt: number,
): RecentJobs {
  const told = new Map([...known.told].filter(([, { at }]) => at > startedAt))
  const ids = new Set(page.map(({ id }) => id))
  const kept = known.rows.filter(({ id }) => known.pinned?.has(id) && !ids.has(id))
  // A page that reaches further down than a row, and does not have it, says that it is gone.
  const lowest = page.length < limit ? 0 : (page.at(-1)?.seq ?? 0)
  const gone = kept.filter(({ seq }) => seq > lowest).map(({ id }) => id)
  const rows = [...page, ...kept].sort((a, b) => b.seq - a.seq)
  const next: RecentJobs = { ...known, rows, told, removed: new Set([...known.removed, ...gone]) }
  return recount(
    [...told].reduce((state, [id, { to }]) => withStatus(state, id, to), next),
    limit,
  )
}

/** A frame was pushed: rows change at once, what it cannot say is read again (see `wantsRead`). */
export function hear(known: RecentJobs, frame: Frame, at: number): RecentJobs {
  const told = new Map(known.told.size < MAX_TOLD ? known.told : [])
  let next: RecentJobs = known
  let created = 0
  for (const { id, from, to } of frame.changes) {
    if (from === null) created += 1
    if (from !== null && !told.has(id) && !isKnown(known, id)) continue
    told.set(id, { to, at })
    next = withStatus(next, id, to)
  }
  if (!next.pinned) return { ...next, told }
  const isWaitingMore = next.isWaitingMore || frame.total > frame.changes.length
  return { ...next, told, waiting: next.waiting + created, isWaitingMore }
}

/** Changes of jobs further down the queue's history are no reason to read. */
export function wantsRead(known: RecentJobs | undefined, frame: Frame): boolean {
  if (!known || frame.refetch || frame.total > frame.changes.length) return true
  return frame.changes.some(({ id, from }) => from === null || isKnown(known, id))
}

/** The reader has turned to some of the rows: they stay where they are. */
export function hold(known: RecentJobs): RecentJobs {
  if (known.pinned || known.rows.length === 0) return known
  return { ...known, pinned: new Set(visible(known).map(({ id }) => id)) }
}

export function release(known: RecentJobs): RecentJobs {
  if (!known.pinned) return known
  return { ...NOTHING, rows: known.rows.filter(({ id }) => !known.removed.has(id)), told: known.told }
}

function isKnown({ rows }: RecentJobs, id: string): boolean {
  return rows.some((row) => row.id === id)
}

function withStatus(state: RecentJobs, id: string, to: Status | null): RecentJobs {
  const row = state.rows.find((one) => one.id === id)
  if (!row) return state
  if (to !== null) {
    return row.status === to
      ? state
      : { ...state, rows: state.rows.map((one) => (one === row ? { ...one, status: to } : one)) }
  }
  if (state.pinned?.has(id)) return { ...state, removed: new Set([...state.removed, id]) }
  return { ...state, rows: state.rows.filter((one) => one !== row) }
}

/** Frames can be missed and may name too few: what a read finds above the pinned rows is certain. */
function recount(state: RecentJobs, limit: number): RecentJobs {
  const { pinned, rows } = state
  if (!pinned) return state
  const top = rows.findIndex(({ id }) => pinned.has(id))
  const found = top < 0 ? rows.length : top
  if (top >= 0 && found < limit) return { ...state, waiting: found, isWaitingMore: false }
  return { ...state, waiting: Math.max(state.waiting, found), isWaitingMore: true }
}

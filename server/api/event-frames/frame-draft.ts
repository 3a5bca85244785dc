/** The content of an event frame without its counts: pure merging, bounded in size. */
import type { EmittedEvent, QueueEvent } from '../../engine/events.ts'

type JobsEvent = Extract<QueueEvent, { readonly kind: 'jobs' }>

/** Jobs and bulk operations that a frame lists at most. */
const MAX_NAMED = 200

export interface Draft {
  /** When the latest of its changes happened. */
  readonly at: number
  /** True when changes were missed or are too many to list: read all your data again. */
  readonly refetch: boolean
  /** The number of changes; `changes` lists at most 200 of them. */
  readonly total: number
  /** The jobs that changed, with their status before and after. */
  readonly changes: JobsEvent['changes']
  /** True when settings of types changed. */
  readonly types: boolean
  /** True when queue-wide settings changed. */
  readonly settings: boolean
  /** True when the list of workers changed. */
  readonly workers: boolean
  /** True when schedules changed. */
  readonly schedules: boolean
  /** Bulk operations that have advanced. */
  readonly bulks: readonly string[]
}

export function emptyDraft(at: number): Draft {
  return {
    at,
    refetch: false,
    total: 0,
    changes: [],
    types: false,
    settings: false,
    workers: false,
    schedules: false,
    bulks: [],
  }
}

export function addEvent(draft: Draft, { event }: EmittedEvent): Draft {
  return mergeDrafts(draft, { ...emptyDraft(event.at), ...draftOf(event) })
}

export function mergeDrafts(earlier: Draft, later: Draft): Draft {
  const bulks = [...new Set([...earlier.bulks, ...later.bulks])]
  return {
    at: Math.max(earlier.at, later.at),
    refetch: earlier.refetch || later.refetch || bulks.length > MAX_NAMED,
    total: earlier.total + later.total,
    changes: append(earlier.changes, later.changes),
    types: earlier.types || later.types,
    settings: earlier.settings || later.settings,
    workers: earlier.workers || later.workers,
    schedules: earlier.schedules || later.schedules,
    bulks: bulks.slice(0, MAX_NAMED),
  }
}

function draftOf(event: QueueEvent): Partial<Draft> {
  switch (event.kind) {
    case 'jobs':
      return { total: event.total, changes: event.changes }
    case 'bulk':
      return { bulks: [event.id] }
    case 'types':
      return { types: true }
    case 'settings':
      return { settings: true }
    case 'workers':
      return { workers: true }
    case 'schedules':
      return { schedules: true }
    case 'elsewhere':
      return { refetch: true }
  }
}

function append(earlier: Draft['changes'], later: Draft['changes']): Draft['changes'] {
  if (earlier.length === 0) return later
  return earlier.length >= MAX_NAMED ? earlier : [...earlier, ...later].slice(0, MAX_NAMED)
}

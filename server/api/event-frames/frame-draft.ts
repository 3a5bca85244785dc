/** What a frame says, before it is counted: pure merging, bounded in size. */
import type { QueueEvent, Told } from '../../engine/events.ts'

type JobsEvent = Extract<QueueEvent, { readonly kind: 'jobs' }>

/** A frame names at most this many jobs and bulk operations; beyond that, read again. */
const MAX_NAMED = 200

export interface Draft {
  /** When the first of its changes happened. */
  readonly at: number
  /** Something was missed, or changed in ways no frame can list: read again everything you show. */
  readonly refetch: boolean
  /** How many changes there were; `changes` names at most 200 of them. */
  readonly total: number
  /** The jobs that changed, with their status before and after. */
  readonly changes: JobsEvent['changes']
  /** true when settings of types changed. */
  readonly types: boolean
  /** true when queue-wide settings changed. */
  readonly settings: boolean
  /** true when the list of workers changed. */
  readonly workers: boolean
  /** Bulk operations that moved on. */
  readonly bulks: readonly string[]
}

export function emptyDraft(at: number): Draft {
  return { at, refetch: false, total: 0, changes: [], types: false, settings: false, workers: false, bulks: [] }
}

export function addTold(draft: Draft, { event }: Told): Draft {
  return mergeDrafts(draft, { ...emptyDraft(event.at), ...said(event) })
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
    bulks: bulks.slice(0, MAX_NAMED),
  }
}

function said(event: QueueEvent): Partial<Draft> {
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
    case 'elsewhere':
      return { refetch: true }
  }
}

function append(earlier: Draft['changes'], later: Draft['changes']): Draft['changes'] {
  if (earlier.length === 0) return later
  return earlier.length >= MAX_NAMED ? earlier : [...earlier, ...later].slice(0, MAX_NAMED)
}

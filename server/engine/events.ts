/** The event log: events are emitted after COMMIT and kept in a ring buffer, so that readers can resume by id. */
import type { Change, Commit } from '../store/store.ts'

/** Jobs that one event lists at most; `total` is the full number. */
const MAX_CHANGES = 200
/** Events that can be resumed from. */
const RING_SIZE = 1_024

/** Fields of each kind of event besides `kind` and `at`. */
export interface QueueEventMap {
  /** Jobs were stored, claimed, finished or removed: `total` jobs, of which `changes` lists at most 200. */
  readonly jobs: { readonly total: number; readonly changes: readonly Change[] }
  /** Settings of types changed. */
  readonly types: object
  /** Queue-wide settings changed. */
  readonly settings: object
  /** The list of workers changed. */
  readonly workers: object
  /** Schedules changed. */
  readonly schedules: object
  /** The bulk operation `id` has advanced. */
  readonly bulk: { readonly id: string }
  /** Another process changed the queue: read your data again. */
  readonly elsewhere: object
}

/** Something that changed in the queue. */
export type QueueEvent = {
  readonly [Kind in keyof QueueEventMap]: {
    /** The kind of change. */
    readonly kind: Kind
    /** The time of the change, in milliseconds UTC. */
    readonly at: number
  } & QueueEventMap[Kind]
}[keyof QueueEventMap]

/** An event with its id. */
export interface EmittedEvent {
  /** `epoch:n`; each process has its own epoch. */
  readonly id: string
  /** The event. */
  readonly event: QueueEvent
}

export type Listener = (emitted: EmittedEvent) => void

/** The events of this process's engine, with ids to resume from. */
export interface Events {
  /** Calls the listener for every event; returns a function that ends the subscription. */
  subscribe(listener: Listener): () => void
  /** The events after `id`; null when they are no longer kept: read your data again. */
  since(id: string): readonly EmittedEvent[] | null
  /** The id of the newest event. */
  readonly lastId: string
  /** How many listeners there are. */
  readonly listenerCount: number
}

export class EventLog {
  private readonly epoch: string
  private readonly onError: (error: unknown) => void
  private readonly onListenersChanged: () => void
  private readonly ring: EmittedEvent[] = []
  private readonly listeners = new Set<Listener>()
  private next = 1
  /** Before the first reader no id is known to anyone, so events need not be kept. */
  private hasReader = false

  constructor(epoch: string, onError: (error: unknown) => void, onListenersChanged: () => void) {
    this.epoch = epoch
    this.onListenersChanged = onListenersChanged
    this.onError = onError
  }

  committed(commit: Commit): void {
    const total = commit.changes.length
    if (total === 0) return
    const changes = total > MAX_CHANGES ? commit.changes.slice(0, MAX_CHANGES) : commit.changes
    this.emit({ kind: 'jobs', at: commit.now, total, changes })
  }

  emit(event: QueueEvent): void {
    const id = this.next++
    if (!this.hasReader) return
    const emitted: EmittedEvent = { id: `${this.epoch}:${id}`, event }
    if (this.ring.push(emitted) > RING_SIZE) this.ring.shift()
    for (const listener of this.listeners) {
      try {
        listener(emitted)
      } catch (error) {
        // An exception in one listener must not reach the others, or the callers of this commit.
        this.onError(error)
      }
    }
  }

  subscribe(listener: Listener): () => void {
    this.hasReader = true
    this.listeners.add(listener)
    this.onListenersChanged()
    return () => {
      this.listeners.delete(listener)
      this.onListenersChanged()
    }
  }

  get listenerCount(): number {
    return this.listeners.size
  }

  /** Every event after `id`; null when that is no longer in the ring: read again, then resume from `lastId`. */
  since(id: string): readonly EmittedEvent[] | null {
    const [epoch, n] = id.split(':')
    const after = Number(n)
    if (epoch !== this.epoch || !Number.isSafeInteger(after) || after < 0 || after >= this.next) return null
    const oldest = this.next - this.ring.length
    return after + 1 < oldest ? null : this.ring.slice(after + 1 - oldest)
  }

  get lastId(): string {
    this.hasReader = true
    return `${this.epoch}:${this.next - 1}`
  }
}

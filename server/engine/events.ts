/** What happened, told after COMMIT: a bounded ring with ids that a reader can resume from. */
import type { Change, Commit } from '../store/store.ts'

/** A frame names at most this many jobs; `total` says how many there were. */
const MAX_CHANGES = 200
const RING_SIZE = 1_024

/** What each kind of event carries besides `kind` and `at`. */
export interface QueueEventMap {
  /** Jobs were stored, claimed, finished or removed: `total` of them, of which `changes` names at most 200. */
  readonly jobs: { readonly total: number; readonly changes: readonly Change[] }
  /** Settings of types changed. */
  readonly types: object
  /** Queue-wide settings changed. */
  readonly settings: object
  /** The list of workers changed. */
  readonly workers: object
  /** The bulk operation `id` has advanced. */
  readonly bulk: { readonly id: string }
  /** Another process changed something: read again what you show. */
  readonly elsewhere: object
}

/** Something that changed in the queue. */
export type QueueEvent = {
  readonly [Kind in keyof QueueEventMap]: {
    /** What changed. */
    readonly kind: Kind
    /** When, in milliseconds UTC. */
    readonly at: number
  } & QueueEventMap[Kind]
}[keyof QueueEventMap]

/** An event with its id. */
export interface Told {
  /** `epoch:n`; a new process is a new epoch. */
  readonly id: string
  /** The event. */
  readonly event: QueueEvent
}

export type Listener = (told: Told) => void

export class EventLog {
  private readonly epoch: string
  private readonly onError: (error: unknown) => void
  private readonly occupied: () => void
  private readonly ring: Told[] = []
  private readonly listeners = new Set<Listener>()
  private next = 1

  /** `occupied` hears of the first listener and of the last one gone. */
  constructor(epoch: string, onError: (error: unknown) => void, occupied: () => void) {
    this.epoch = epoch
    this.occupied = occupied
    this.onError = onError
  }

  committed(commit: Commit): void {
    const total = commit.changes.length
    if (total === 0) return
    const changes = total > MAX_CHANGES ? commit.changes.slice(0, MAX_CHANGES) : commit.changes
    this.tell({ kind: 'jobs', at: commit.now, total, changes })
  }

  tell(event: QueueEvent): void {
    const told: Told = { id: `${this.epoch}:${this.next++}`, event }
    if (this.ring.push(told) > RING_SIZE) this.ring.shift()
    for (const listener of this.listeners) {
      try {
        listener(told)
      } catch (error) {
        // One listener's fault must not keep the others, or the callers of this commit, from their answer.
        this.onError(error)
      }
    }
  }

  subscribe(listener: Listener): () => void {
    this.listeners.add(listener)
    this.occupied()
    return () => {
      this.listeners.delete(listener)
      this.occupied()
    }
  }

  get listenerCount(): number {
    return this.listeners.size
  }

  /** Everything after `id`, or null when that is no longer known: read again, then go on from `lastId`. */
  since(id: string): readonly Told[] | null {
    const [epoch, n] = id.split(':')
    const after = Number(n)
    if (epoch !== this.epoch || !Number.isSafeInteger(after) || after < 0 || after >= this.next) return null
    const oldest = this.next - this.ring.length
    return after + 1 < oldest ? null : this.ring.slice(after + 1 - oldest)
  }

  get lastId(): string {
    return `${this.epoch}:${this.next - 1}`
  }
}

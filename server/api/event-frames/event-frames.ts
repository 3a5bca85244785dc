/**
 * What happened, made for many watchers: all commits of a tenth of a second become one frame, built once, and a watcher that
 * reads slowly gets its frames merged instead of a queue of them.
 */
import { QueueError } from '../../../shared/errors.ts'
import { limits } from '../../../shared/limits.ts'
import type { StatusCounts } from '../../../shared/status.ts'
import type { Clock, Timer } from '../../base/clock.ts'
import type { Events } from '../../engine/engine.ts'
import { addTold, type Draft, emptyDraft, mergeDrafts } from './frame-draft.ts'

const FRAME_EVERY_MS = 100
/** When the database cannot be counted: no use in asking ten times a second. */
const RETRY_MS = 1_000
/** About a millisecond of writing. */
const WATCHERS_PER_TURN = 50

/** Hints, not history: which jobs changed and how many there are now. What you show of them, read again. */
export interface EventFrame extends Draft {
  /** Exact, at the time of this frame. */
  readonly counts: StatusCounts
}

export interface Tagged {
  /** `epoch:n`, to go on from after a broken connection. */
  readonly id: string
  readonly frame: EventFrame
}

export interface EventFramesParts {
  readonly events: Events
  readonly counts: () => Promise<StatusCounts>
  readonly clock: Clock
  readonly onError: (error: unknown) => void
}

export class EventFrames {
  private readonly parts: EventFramesParts
  private readonly watchers = new Set<Watcher>()
  private draft: Draft | null = null
  private timer: Timer | null = null
  private unsubscribe = () => {}
  private lastFrameAt = Number.NEGATIVE_INFINITY
  private isSending = false
  private isClosed = false

  constructor(parts: EventFramesParts) {
    this.parts = parts
  }

  get watcherCount(): number {
    return this.watchers.size
  }

  /** Ends when `signal` says so; the first frame tells whether anything was missed since `lastEventId`. */
  async *follow(lastEventId: string | null, signal: AbortSignal | undefined): AsyncGenerator<Tagged, void> {
    // Listening starts before replaying: a job may be named twice, none is missed.
    const watcher = this.join(signal)
    try {
      yield await this.replay(lastEventId)
      for (let next = await watcher.next(); next; next = await watcher.next()) yield next
    } finally {
      this.leave(watcher)
    }
  }

  /** A stream that is under way can no longer be refused with a status of its own: doors ask this first. */
  requireRoom(): void {
    if (this.isClosed) throw new QueueError('CLOSED', 'The server is shutting down; connect again in a moment.')
    if (this.watchers.size < limits.eventClients) return
    throw new QueueError(
      'TOO_MANY',
      `${limits.eventClients} event streams are open already; close one or try again later.`,
    )
  }

  /** No new streams; those that are open are cut by their connections. */
  close(): void {
    this.isClosed = true
  }

  private join(signal: AbortSignal | undefined): Watcher {
    this.requireRoom()
    const watcher = new Watcher(signal)
    this.watchers.add(watcher)
    if (this.watchers.size === 1) this.listen()
    return watcher
  }

  private leave(watcher: Watcher): void {
    watcher.close()
    this.watchers.delete(watcher)
    if (this.watchers.size > 0) return
    this.unsubscribe()
    this.timer?.cancel()
    this.timer = null
    this.draft = null
  }

  private listen(): void {
    this.unsubscribe = this.parts.events.subscribe((told) => {
      this.draft = addTold(this.draft ?? emptyDraft(told.event.at), told)
      this.arm()
    })
  }

  /** The first frame after a quiet time goes at once, the others at their pace, and never two at a time. */
  private arm(leastMs = 0): void {
    if (this.timer || this.isSending) return
    const { clock } = this.parts
    const waitMs = Math.max(leastMs, this.lastFrameAt + FRAME_EVERY_MS - clock.monotonic())
    this.timer = clock.after(waitMs, () => void this.send())
  }

  private async send(): Promise<void> {
    const { clock, counts, events, onError } = this.parts
    this.timer = null
    const draft = this.draft
    if (!draft) return
    this.lastFrameAt = clock.monotonic()
    this.draft = null
    this.isSending = true
    const id = events.lastId
    let isSent = true
    try {
      // One object for all watchers, so that it is encoded once for all of them.
      const tagged: Tagged = { id, frame: { ...draft, counts: await counts() } }
      await this.deliver(tagged)
    } catch (error) {
      isSent = false
      onError(error)
    }
    this.isSending = false
    if (this.watchers.size === 0) return
    // The next frame brings what this one could not say.
    if (!isSent) this.draft = this.draft ? mergeDrafts(draft, this.draft) : draft
    if (this.draft) this.arm(isSent ? 0 : RETRY_MS)
  }

  /** In groups: writing to a thousand connections in one turn of the event loop would hold up every other request for that long. */
  private async deliver(tagged: Tagged): Promise<void> {
    // A watcher that joins meanwhile gets a first frame that covers this one.
    for (const [n, watcher] of [...this.watchers].entries()) {
      if (n > 0 && n % WATCHERS_PER_TURN === 0) await new Promise(setImmediate)
      watcher.offer(tagged)
    }
  }

  private async replay(lastEventId: string | null): Promise<Tagged> {
    const { counts, events } = this.parts
    const id = events.lastId
    const missed = lastEventId === null ? null : events.since(lastEventId)
    const now = this.parts.clock.now()
    const draft = missed ? missed.reduce(addTold, emptyDraft(now)) : { ...emptyDraft(now), refetch: true }
    return { id, frame: { ...draft, counts: await counts() } }
  }
}

/** One open stream: holds at most one frame, into which later ones are merged until it is taken. */
class Watcher {
  private readonly signal: AbortSignal | undefined
  private waiting: Tagged | null = null
  private wake = () => {}
  private closed = false
  private readonly onAbort = () => this.close()

  constructor(signal: AbortSignal | undefined) {
    this.signal = signal
    if (signal?.aborted) this.closed = true
    signal?.addEventListener('abort', this.onAbort, { once: true })
  }

  offer(tagged: Tagged): void {
    this.waiting = this.waiting ? merged(this.waiting, tagged) : tagged
    this.wake()
  }

  async next(): Promise<Tagged | null> {
    while (!this.waiting && !this.closed) {
      await new Promise<void>((resolve) => {
        this.wake = resolve
      })
    }
    const taken = this.closed ? null : this.waiting
    this.waiting = null
    return taken
  }

  close(): void {
    this.closed = true
    this.signal?.removeEventListener('abort', this.onAbort)
    this.wake()
  }
}

function merged(earlier: Tagged, { id, frame }: Tagged): Tagged {
  return { id, frame: { ...mergeDrafts(earlier.frame, frame), counts: frame.counts } }
}

/**
 * Event frames for many subscribers: all events of 100 ms become one frame, built once. Frames for a slow subscriber are merged
 * instead of queued. http/trpc/event-stream.ts encodes them as SSE.
 */
import { QueueError } from '../../../shared/errors.ts'
import { limits } from '../../../shared/limits.ts'
import type { StatusCounts } from '../../../shared/status.ts'
import type { Clock, Timer } from '../../base/clock.ts'
import type { Events } from '../../engine/events.ts'
import { addEvent, type Draft, emptyDraft, mergeDrafts } from './frame-draft.ts'

const FRAME_EVERY_MS = 100
/** Delay after the counts could not be read. */
const RETRY_MS = 1_000
/** Takes about a millisecond of socket writes. */
const SUBSCRIBERS_PER_TURN = 50

/** A notification of changes: which jobs changed, and the counts. Read the jobs again to get their data. */
export interface EventFrame extends Draft {
  /** Exact counts at the time of this frame. */
  readonly counts: StatusCounts
}

export interface FrameWithId {
  /** `epoch:n`: the position to resume from after a reconnect. */
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
  private readonly subscribers = new Set<Subscriber>()
  private draft: Draft | null = null
  private timer: Timer | null = null
  private unsubscribe = () => {}
  private lastFrameAt = Number.NEGATIVE_INFINITY
  private isSending = false
  private isClosed = false

  constructor(parts: EventFramesParts) {
    this.parts = parts
  }

  get subscriberCount(): number {
    return this.subscribers.size
  }

  /** Ends on `signal`. The first frame contains the changes since `lastEventId`, or `refetch` if they are no longer known. */
  async *follow(lastEventId: string | null, signal: AbortSignal | undefined): AsyncGenerator<FrameWithId, void> {
    // Subscribes before it replays: a change may appear twice, but none is missed.
    const subscriber = this.join(signal)
    try {
      yield await this.replay(lastEventId)
      for (let next = await subscriber.next(); next; next = await subscriber.next()) yield next
    } finally {
      this.leave(subscriber)
    }
  }

  /** Call before a stream starts: afterwards the response can no longer have an error status. */
  requireCapacity(): void {
    if (this.isClosed) throw new QueueError('CLOSED', 'The server is shutting down; connect again in a moment.')
    if (this.subscribers.size < limits.eventClients) return
    throw new QueueError(
      'TOO_MANY',
      `${limits.eventClients} event streams are open already; close one or try again later.`,
    )
  }

  /** Rejects new streams; open ones end with their connections. */
  close(): void {
    this.isClosed = true
  }

  private join(signal: AbortSignal | undefined): Subscriber {
    this.requireCapacity()
    const subscriber = new Subscriber(signal)
    this.subscribers.add(subscriber)
    if (this.subscribers.size === 1) this.listen()
    return subscriber
  }

  private leave(subscriber: Subscriber): void {
    subscriber.close()
    this.subscribers.delete(subscriber)
    if (this.subscribers.size > 0) return
    this.unsubscribe()
    this.timer?.cancel()
    this.timer = null
    this.draft = null
  }

  private listen(): void {
    this.unsubscribe = this.parts.events.subscribe((emitted) => {
      this.draft = addEvent(this.draft ?? emptyDraft(emitted.event.at), emitted)
      this.arm()
    })
  }

  /** Sends the first frame after a quiet period at once, later ones every 100 ms, and never two at the same time. */
  private arm(minimumMs = 0): void {
    if (this.timer || this.isSending) return
    const { clock } = this.parts
    const waitMs = Math.max(minimumMs, this.lastFrameAt + FRAME_EVERY_MS - clock.monotonic())
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
      // One object for all subscribers, so that it is encoded only once.
      const withId: FrameWithId = { id, frame: { ...draft, counts: await counts() } }
      await this.deliver(withId)
    } catch (error) {
      isSent = false
      onError(error)
    }
    this.isSending = false
    if (this.subscribers.size === 0) return
    // The next frame includes the changes of a frame that could not be sent.
    if (!isSent) this.draft = this.draft ? mergeDrafts(draft, this.draft) : draft
    if (this.draft) this.arm(isSent ? 0 : RETRY_MS)
  }

  /** In groups: writes to a thousand connections in one event-loop turn would delay every other request. */
  private async deliver(withId: FrameWithId): Promise<void> {
    // A subscriber that joins meanwhile gets a first frame that includes this one.
    for (const [n, subscriber] of [...this.subscribers].entries()) {
      if (n > 0 && n % SUBSCRIBERS_PER_TURN === 0) await new Promise(setImmediate)
      subscriber.offer(withId)
    }
  }

  private async replay(lastEventId: string | null): Promise<FrameWithId> {
    const { counts, events } = this.parts
    const id = events.lastId
    const missed = lastEventId === null ? null : events.since(lastEventId)
    const now = this.parts.clock.now()
    const draft = missed ? missed.reduce(addEvent, emptyDraft(now)) : { ...emptyDraft(now), refetch: true }
    return { id, frame: { ...draft, counts: await counts() } }
  }
}

/** One open stream: buffers at most one frame, into which later ones are merged. */
class Subscriber {
  private readonly signal: AbortSignal | undefined
  private waiting: FrameWithId | null = null
  private wake = () => {}
  private closed = false
  private readonly onAbort = () => this.close()

  constructor(signal: AbortSignal | undefined) {
    this.signal = signal
    if (signal?.aborted) this.closed = true
    signal?.addEventListener('abort', this.onAbort, { once: true })
  }

  offer(withId: FrameWithId): void {
    this.waiting = this.waiting ? merged(this.waiting, withId) : withId
    this.wake()
  }

  async next(): Promise<FrameWithId | null> {
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

function merged(earlier: FrameWithId, { id, frame }: FrameWithId): FrameWithId {
  return { id, frame: { ...mergeDrafts(earlier.frame, frame), counts: frame.counts } }
}

/** What a worker tells of itself: typed events, each with the line that a log would show. */
import { QueueError } from '../../shared/errors.ts'
import type { SettleResult } from '../../shared/job.ts'
import { messageOf } from './jobs/error-text.ts'

interface About {
  /** The id of the job. */
  readonly id: string
  /** The name of the job type. */
  readonly type: string
  /** The number of the attempt, from 1. */
  readonly attempt: number
}

interface Ran extends About {
  /** How long the handler ran, in milliseconds. */
  readonly runMs: number
}

/** What each kind of event carries besides `kind`. */
export interface WorkerEventMap {
  /** A job was claimed and its handler starts. */
  readonly claimed: About
  /** A handler has finished, and the queue has recorded it. */
  readonly success: Ran
  /** An attempt has failed; `status` is what became of the job: `retrying` runs again. */
  readonly failed: Ran & {
    /** Why it failed. */
    readonly error: string
  } & Pick<SettleResult, 'status'>
  /** A job was given back without counting the attempt, because this worker stops. */
  readonly released: About
  /** The outcome of an attempt no longer counts: its lease has ended and another worker may have the job. */
  readonly skipped: About & {
    /** What happened. */
    readonly reason: string
  }
  /** A handler was aborted, because the queue did not confirm its lease in time. */
  readonly aborted: About
  /** The queue cannot be reached, or refuses this worker; the worker keeps trying. */
  readonly unreachable: {
    /** What went wrong. */
    readonly error: unknown
  }
  /** The queue can be reached again. */
  readonly recovered: {
    /** How long it could not be reached, in milliseconds. */
    readonly outageMs: number
  }
  /** An operator asked this worker to finish its jobs and stop. */
  readonly draining: object
  /** The worker has stopped. */
  readonly stopped: object
  /** Something failed that ends no job: log lines that could not be sent, a heartbeat without response. */
  readonly trouble: {
    /** What went wrong. */
    readonly error: unknown
  }
}

/** The names of the events of a worker. */
export type WorkerEventKind = keyof WorkerEventMap

/** Something that happened in a worker; `kind` says what. */
export type WorkerEvent = {
  readonly [Kind in WorkerEventKind]: {
    /** The name of the event. */
    readonly kind: Kind
  } & WorkerEventMap[Kind]
}[WorkerEventKind]

/** The event with this name. */
export type WorkerEventOf<Kind extends WorkerEventKind> = Extract<WorkerEvent, { readonly kind: Kind }>

type Listener = (event: WorkerEvent) => void

export class WorkerEvents {
  /** With the kind that each listens for; null: all kinds. */
  private readonly listeners = new Map<Listener, WorkerEventKind | null>()

  /** Calls the listener for every event of one kind; returns a function that ends it. */
  on<Kind extends WorkerEventKind>(kind: Kind, listener: (event: WorkerEventOf<Kind>) => void): () => void {
    const isKind = (event: WorkerEvent): event is WorkerEventOf<Kind> => event.kind === kind
    return this.add(kind, (event) => {
      if (isKind(event)) listener(event)
    })
  }

  /** Calls the listener for every event; returns a function that ends it. Print one with `lineOf(event)`. */
  onAny(listener: Listener): () => void {
    return this.add(null, (event) => listener(event))
  }

  private add(kind: WorkerEventKind | null, listener: Listener): () => void {
    this.listeners.set(listener, kind)
    return () => this.listeners.delete(listener)
  }

  /** Calls the listeners; used by the worker itself. */
  tell(event: WorkerEvent): void {
    // Without a listener of this kind a worker that does nothing would not say why.
    const isHeard = [...this.listeners.values()].some((kind) => kind === null || kind === event.kind)
    if (!isHeard && (event.kind === 'unreachable' || event.kind === 'trouble')) {
      process.emitWarning(`Worker: ${lineOf(event)}`)
    }
    for (const listener of [...this.listeners.keys()]) {
      // A fault in a log line must not end the process, and with it every job that runs there.
      const report = (error: unknown) =>
        process.emitWarning(`Worker: a listener of its ${event.kind} events threw: ${messageOf(error)}`)
      try {
        const listened: unknown = listener(event)
        if (listened instanceof Promise) listened.catch(report)
      } catch (error) {
        report(error)
      }
    }
  }
}

/** `claimed sendEmail 0193… attempt 2`: for people; programs take the event itself. */
export function lineOf(event: WorkerEvent): string {
  switch (event.kind) {
    case 'claimed':
    case 'released':
      return `${event.kind} ${nameOf(event)}`
    case 'aborted':
      return `aborted ${nameOf(event)}: its lease was not confirmed in time`
    case 'success':
      return `success ${nameOf(event)} in ${seconds(event.runMs)}`
    case 'failed':
      return `failed ${nameOf(event)} after ${seconds(event.runMs)}, now ${event.status}: ${firstLine(event.error)}`
    case 'skipped':
      return `skipped ${nameOf(event)}: ${event.reason}`
    case 'unreachable':
      return `the queue ${isRefusal(event.error) ? 'refuses this worker' : 'cannot be reached'}: ${messageOf(event.error)}`
    case 'recovered':
      return `recovered: the queue is there again after ${seconds(event.outageMs)}`
    case 'draining':
      return 'draining: finishing what was taken, taking no more'
    case 'stopped':
      return 'stopped'
    case 'trouble':
      return `trouble: ${messageOf(event.error)}`
  }
}

function nameOf({ type, id, attempt }: About): string {
  return `${type} ${id}${attempt > 1 ? ` attempt ${attempt}` : ''}`
}

function seconds(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? ''
}

/** It was reached, and says no; that may be mended too, so the worker keeps trying. */
function isRefusal(error: unknown): boolean {
  return error instanceof QueueError && ['BAD_INPUT', 'UNAUTHORIZED', 'FORBIDDEN'].includes(error.code)
}

/** Typed events of a worker, and their format as log lines. */
import { QueueError } from '../../shared/errors.ts'
import type { SettleResult } from '../../shared/job.ts'
import { messageOf } from './jobs/error-text.ts'

interface JobRef {
  /** The id of the job. */
  readonly id: string
  /** The name of the job type. */
  readonly type: string
  /** The number of the attempt, from 1. */
  readonly attempt: number
}

interface FinishedJob extends JobRef {
  /** How long the handler ran, in milliseconds. */
  readonly runMs: number
}

/** The fields of each kind of event besides `kind`. */
export interface WorkerEventMap {
  /** A job was claimed and its handler starts. */
  readonly claimed: JobRef
  /** A handler has finished, and the queue has recorded its result. */
  readonly success: FinishedJob
  /** An attempt has failed. `status` is the new status of the job; `retrying` runs again. */
  readonly failed: FinishedJob & {
    /** The error message. */
    readonly error: string
  } & Pick<SettleResult, 'status'>
  /** A job was released without counting the attempt, because this worker stops. */
  readonly released: JobRef
  /** The outcome of an attempt was discarded: its lease has expired, and another worker may hold the job. */
  readonly skipped: JobRef & {
    /** Why the outcome was discarded. */
    readonly reason: string
  }
  /** A handler was aborted because the queue did not confirm its lease in time. */
  readonly aborted: JobRef
  /** The queue is unreachable or rejects this worker. The worker keeps retrying. */
  readonly unreachable: {
    /** What went wrong. */
    readonly error: unknown
  }
  /** The queue is reachable again. */
  readonly recovered: {
    /** Duration of the outage, in milliseconds. */
    readonly outageMs: number
  }
  /** Schedules that the option `schedules` no longer declares. They stop after the grace period. */
  readonly orphaned: {
    /** The names of the schedules. */
    readonly schedules: readonly string[]
    /** The application that declared them. */
    readonly owner: string
  }
  /** An operator drains this worker: it finishes its jobs and stops. */
  readonly draining: object
  /** The worker has stopped. */
  readonly stopped: object
  /** A failure that does not end a job: log lines that could not be sent, a heartbeat without a response. */
  readonly error: {
    /** What went wrong. */
    readonly error: unknown
  }
}

/** The names of the events of a worker. */
export type WorkerEventKind = keyof WorkerEventMap

/** An event of a worker; `kind` is its name. */
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
  /** The kind that each listener receives; null: all kinds. */
  private readonly listeners = new Map<Listener, WorkerEventKind | null>()

  /** Calls the listener for every event of one kind. Returns a function that removes it. */
  on<Kind extends WorkerEventKind>(kind: Kind, listener: (event: WorkerEventOf<Kind>) => void): () => void {
    const isKind = (event: WorkerEvent): event is WorkerEventOf<Kind> => event.kind === kind
    return this.add(kind, (event) => {
      if (isKind(event)) listener(event)
    })
  }

  /** Calls the listener for every event. Returns a function that removes it. `formatWorkerEvent(event)` makes a log line. */
  onAny(listener: Listener): () => void {
    return this.add(null, (event) => listener(event))
  }

  private add(kind: WorkerEventKind | null, listener: Listener): () => void {
    this.listeners.set(listener, kind)
    return () => this.listeners.delete(listener)
  }

  /** True if a listener receives events of this kind: others need not be created. */
  hasListener(kind: WorkerEventKind): boolean {
    for (const received of this.listeners.values()) if (received === null || received === kind) return true
    return false
  }

  /** Calls the listeners; used by the worker itself. */
  emit(event: WorkerEvent): void {
    // Without a listener for these kinds the cause of an idle worker would stay invisible.
    if (!this.hasListener(event.kind) && (event.kind === 'unreachable' || event.kind === 'error')) {
      process.emitWarning(`Worker: ${formatWorkerEvent(event)}`)
    }
    for (const listener of [...this.listeners.keys()]) {
      // An exception in a listener must not end the process and all jobs that run in it.
      const warn = (error: unknown) =>
        process.emitWarning(`Worker: a listener for ${event.kind} events threw: ${messageOf(error)}`)
      try {
        const returned: unknown = listener(event)
        if (returned instanceof Promise) returned.catch(warn)
      } catch (error) {
        warn(error)
      }
    }
  }
}

/** Formats an event as a log line: `claimed sendEmail 0193… attempt 2`. */
export function formatWorkerEvent(event: WorkerEvent): string {
  switch (event.kind) {
    case 'claimed':
    case 'released':
      return `${event.kind} ${describeJob(event)}`
    case 'aborted':
      return `aborted ${describeJob(event)}: its lease was not confirmed in time`
    case 'success':
      return `success ${describeJob(event)} in ${seconds(event.runMs)}`
    case 'failed':
      return `failed ${describeJob(event)} after ${seconds(event.runMs)}, now ${event.status}: ${firstLine(event.error)}`
    case 'skipped':
      return `skipped ${describeJob(event)}: ${event.reason}`
    case 'unreachable':
      return `the queue ${isRejection(event.error) ? 'rejects this worker' : 'is unreachable'}: ${messageOf(event.error)}`
    case 'recovered':
      return `recovered: the queue is reachable again after ${seconds(event.outageMs)}`
    case 'orphaned':
      return `orphaned ${event.schedules.join(', ')}: no longer declared by ${event.owner}`
    case 'draining':
      return 'draining: finishing the claimed jobs, claiming no more'
    case 'stopped':
      return 'stopped'
    case 'error':
      return `error: ${messageOf(event.error)}`
  }
}

function describeJob({ type, id, attempt }: JobRef): string {
  return `${type} ${id}${attempt > 1 ? ` attempt ${attempt}` : ''}`
}

function seconds(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? ''
}

/** The queue responded and rejected the worker. The worker still retries, because an operator may fix the cause. */
function isRejection(error: unknown): boolean {
  return error instanceof QueueError && ['BAD_INPUT', 'UNAUTHORIZED', 'FORBIDDEN'].includes(error.code)
}

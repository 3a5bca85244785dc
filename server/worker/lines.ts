/** What a worker tells of itself: typed events, each with the line that a log would show. */
import { QueueError } from '../../shared/errors.ts'
import type { SettleResult } from '../../shared/job.ts'
import { messageOf } from './error-text.ts'

interface About {
  readonly id: string
  readonly type: string
  readonly attempt: number
}

export type WorkerEvent =
  | ({ readonly kind: 'claimed' } & About)
  | ({ readonly kind: 'success'; readonly runMs: number } & About)
  /** `status` is what became of the job: it may run again. */
  | ({ readonly kind: 'failed'; readonly runMs: number; readonly error: string } & About & Pick<SettleResult, 'status'>)
  /** Given back, uncounted, because this worker stops. */
  | ({ readonly kind: 'released' } & About)
  /** The attempt no longer counts: its lease ended and somebody else may have the job. */
  | ({ readonly kind: 'skipped'; readonly reason: string } & About)
  /** Its handler was aborted: the queue did not confirm its lease in time. */
  | ({ readonly kind: 'aborted' } & About)
  /** The queue could not be reached; the worker keeps trying. */
  | { readonly kind: 'unreachable'; readonly error: unknown }
  | { readonly kind: 'recovered'; readonly outageMs: number }
  /** An operator asked this worker to finish what it has. */
  | { readonly kind: 'draining' }
  | { readonly kind: 'stopped' }
  /** Trouble that ends nothing: words of a job that could not be sent, a heartbeat that failed. */
  | { readonly kind: 'trouble'; readonly error: unknown }

export type WorkerEventKind = WorkerEvent['kind']
export type WorkerEventOf<Kind extends WorkerEventKind> = Extract<WorkerEvent, { readonly kind: Kind }>

type Listener = (event: WorkerEvent) => void

export class WorkerEvents {
  /** With the kind that each listens for; null: all kinds. */
  private readonly listeners = new Map<Listener, WorkerEventKind | null>()

  on<Kind extends WorkerEventKind>(kind: Kind, listener: (event: WorkerEventOf<Kind>) => void): () => void {
    const isKind = (event: WorkerEvent): event is WorkerEventOf<Kind> => event.kind === kind
    return this.add(kind, (event) => {
      if (isKind(event)) listener(event)
    })
  }

  onAny(listener: Listener): () => void {
    return this.add(null, (event) => listener(event))
  }

  private add(kind: WorkerEventKind | null, listener: Listener): () => void {
    this.listeners.set(listener, kind)
    return () => this.listeners.delete(listener)
  }

  tell(event: WorkerEvent): void {
    // Without a listener of this kind a worker that does nothing would not say why.
    const isHeard = [...this.listeners.values()].some((kind) => kind === null || kind === event.kind)
    if (!isHeard && (event.kind === 'unreachable' || event.kind === 'trouble')) {
      process.emitWarning(`Worker: ${lineOf(event)}`)
    }
    for (const listener of [...this.listeners.keys()]) {
      try {
        listener(event)
      } catch (error) {
        // A fault in a log line must not end the process, and with it every job that runs there.
        process.emitWarning(`Worker: a listener of its ${event.kind} events threw: ${messageOf(error)}`)
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

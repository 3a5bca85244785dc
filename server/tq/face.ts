/** What `tq` looks like to those who use it. */
import type { EnqueueInput } from '../../shared/contracts/produce.ts'
import type { TaskStatus } from '../../shared/vocabulary.ts'
import type { Clock } from '../clock.ts'
import type { HostHandle } from '../host-database.ts'
import type { JobContext } from '../worker/handler.ts'
import type { WorkerEvent } from '../worker/lines.ts'

/** The payload first; the rest of what is known of the job, and what can be said about it, after that. */
export type TaskHandler<Payload, Result = unknown> = (
  payload: Payload,
  job: JobContext<Payload>,
) => Result | Promise<Result>

export interface AddOptions extends Omit<EnqueueInput, 'type' | 'payload' | 'kind' | 'face'> {
  /** Not before this: a date, or Unix seconds. */
  readonly run_after?: Date | number
}

/** One type of jobs; every call gives it back, so that calls can be chained. */
export interface TaskType<Payload, Result = unknown> {
  add(payload: Payload, options?: AddOptions): this
  /** Runs jobs of this type in this process, beginning by itself. A new one takes over with the next job. */
  setWorker(handler: TaskHandler<Payload, Result>): this
  /** How many at the same time in this process; default: `batchSize`. */
  setWorkerCount(count: number): this
  /** How many may start per second, over all processes. */
  setRateLimit(perSecond: number): this
  /** How long one attempt may take; default: `taskTimeout`. */
  setTimeout(seconds: number): this
  /** How often a job is tried; default 3. */
  setMaxAttempts(count: number): this
}

export type TaskCounts = Readonly<Record<TaskStatus, number>>

export interface QueueStats extends TaskCounts {
  readonly byType: Readonly<Record<string, TaskCounts>>
}

export interface StopOptions {
  /** How long handlers may go on; then they are told to stop and their jobs are given back. Default: 30 s. */
  readonly graceMs?: number
}

/** `Answer`: at once on the application's own database, a promise for a queue by its address. */
export interface Tq<Answer = QueueStats | Promise<QueueStats>> {
  <Payload = unknown, Result = unknown>(type: string): TaskType<Payload, Result>
  /** The workers of this process take nothing more; what runs goes on. */
  pause(): void
  resume(): void
  stats(): Answer
  /** Comes back when every `add` so far is stored; rejects when one was not. */
  flush(): Promise<void>
  /** Lets handlers finish and closes the queue. */
  stop(options?: StopOptions): Promise<void>
}

export interface TqOptions {
  /** How often a worker that waits asks anew, in milliseconds; default 1,000. A new job is noticed much sooner. */
  readonly pollInterval?: number
  /** How many jobs of a type run at the same time where `setWorkerCount` does not say; default 10. */
  readonly batchSize?: number
  /** How long one attempt may take where `setTimeout` does not say, in seconds; default 300. */
  readonly taskTimeout?: number
  /** Of your application, shown in the list of workers; default: that of Millrace. */
  readonly version?: string
  /** What went wrong with no caller waiting for it, lost adds included. Default: a process warning. */
  readonly onError?: (error: unknown) => void
  /** What works and may not be meant. Default: a process warning. */
  readonly onWarning?: (message: string) => void
  /** What the workers do. */
  readonly onEvent?: (event: WorkerEvent) => void
  readonly clock?: Clock
}

export interface HostTqOptions extends TqOptions {
  /** The application's own database, on a file: a better-sqlite3 `Database`, or a Drizzle database on one. */
  readonly db: HostHandle
}

export interface UrlTqOptions extends TqOptions {
  /** `sqlite:./data/queue.db`, `postgres://…`, or the address of a server, `http://127.0.0.1:3000`. */
  readonly url: string
  /** For a server that asks for one. */
  readonly token?: string | undefined
}

/** The one that is there from the start, and begins with `init`. */
export interface GlobalTq extends Tq {
  /** Gives the same queue again, with the exact type of its `stats`. */
  init(options: HostTqOptions): Tq<QueueStats>
  init(options: UrlTqOptions): Tq<Promise<QueueStats>>
}

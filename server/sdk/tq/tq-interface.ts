/** What `tq` looks like to those who use it. */
import type { EnqueueInput } from '../../../shared/contracts/produce.ts'
import type { EnqueueResult } from '../../../shared/job.ts'
import type { TaskStatus } from '../../../shared/vocabulary.ts'
import type { Clock } from '../../base/clock.ts'
import type { HostHandle } from '../../compose/host-database.ts'
import type { Queue } from '../../queue/queue.ts'
import type { WorkerEvent } from '../../worker/events.ts'
import type { JobContext } from '../../worker/jobs/handler.ts'

/** The payload of a type that no type parameter describes: whatever `JSON.parse` returns, which the compiler does not check. */
export type AnyJson = ReturnType<typeof JSON.parse>

/** Runs one job: gets its payload first, then its id, version, abort signal, `progress` and `log`. */
export type TaskHandler<Payload = AnyJson, Result = unknown> = (
  payload: Payload,
  job: JobContext<Payload>,
) => Result | Promise<Result>

/** Options of one `add`. */
export interface EnqueueOptions extends Omit<EnqueueInput, 'type' | 'payload' | 'kind' | 'face'> {
  /** Does not run before this: a `Date`, or Unix seconds. Default: at once. */
  readonly run_after?: Date | number
}

/** One type of jobs. Every method returns the same object, so that calls can be chained. */
export interface TaskTypeContext<Payload = AnyJson, Result = unknown> {
  /** Adds a job. With `{ db }` it is committed on return; with `{ url }` it is sent in the background. */
  add(payload: Payload, options?: EnqueueOptions): this
  /** The job of the last `add` on this object: its id, and whether it was there already. Rejects when it was not stored. */
  added(): Promise<EnqueueResult>
  /** Runs jobs of this type in this process, starting by itself. A later call replaces the handler from the next job on. */
  setWorker(handler: TaskHandler<Payload, Result>): this
  /** How many jobs of this type run at the same time in this process. Default: `batchSize`. */
  setWorkerCount(count: number): this
  /** How many jobs of this type may start per second, over all processes. Default: no limit. */
  setRateLimit(tasksPerSecond: number): this
  /** How long one attempt may take, in seconds. Default: `taskTimeout`. */
  setTimeout(seconds: number): this
  /** How often a job is tried. Default: 3. */
  setMaxAttempts(count: number): this
}

/** Numbers of jobs by status. */
export type TaskCounts = Readonly<Record<TaskStatus, number>>

/** Numbers of jobs by status, for all types and for each. */
export interface QueueStats extends TaskCounts {
  /** The same for each type. */
  readonly byType: Readonly<Record<string, TaskCounts>>
}

/** How to stop. */
export interface StopOptions {
  /** How long running handlers may continue; then they are aborted and their jobs released. Default: 30,000 ms. */
  readonly graceMs?: number
}

/** A started queue. `Answer`: what `stats` returns, the counts or a promise of them. */
export interface Tq<Answer = QueueStats | Promise<QueueStats>> {
  /** The type of this name. Without a type parameter its payloads are not checked by the compiler. */
  <Payload = AnyJson, Result = unknown>(type: string): TaskTypeContext<Payload, Result>
  /** Stops the workers of this process from taking jobs; running jobs continue. */
  pause(): void
  /** Lets the workers of this process take jobs again. */
  resume(): void
  /** Counts of jobs by status, in total and by type. */
  stats(): Answer
  /** Resolves when every `add` so far is stored; rejects when one was not. */
  flush(): Promise<void>
  /** Waits until running handlers have finished, then closes the queue. */
  stop(options?: StopOptions): Promise<void>
  /** The queue itself, for everything that `tq` has no method for: `createDashboard(await tq.queue())`. */
  queue(): Promise<Queue>
}

/** What `init` takes besides the database. */
export interface TqOptions {
  /** How often a worker that waits asks again, in milliseconds; default 1,000. A new job is noticed much sooner. */
  readonly pollInterval?: number
  /** How many jobs of a type run at the same time where `setWorkerCount` is not called; default 10. */
  readonly batchSize?: number
  /** How long one attempt may take where `setTimeout` is not called, in seconds; default 300. */
  readonly taskTimeout?: number
  /** The version of your application, shown in the list of workers; default: that of Millrace. */
  readonly version?: string
  /** Called with errors that no caller waits for, jobs that could not be stored included; default: a process warning. */
  readonly onError?: (error: unknown) => void
  /** Called with a message about something that works and may not be intended; default: a process warning. */
  readonly onWarning?: (message: string) => void
  /** Called with every event of the workers; default: nothing. */
  readonly onEvent?: (event: WorkerEvent) => void
  /** Where time comes from; default: the system clock. */
  readonly clock?: Clock
}

/** For a queue in the application's own SQLite database. */
export interface HostTqOptions extends TqOptions {
  /** The application's own database, on a file: a better-sqlite3 `Database`, or a Drizzle database on one. */
  readonly db: HostHandle
}

/** For a queue by its address. */
export interface UrlTqOptions extends TqOptions {
  /** `sqlite:./data/queue.db`, `postgres://…`, or the address of a server, `http://127.0.0.1:3000`. */
  readonly url: string
  /** The token for a server that needs one. */
  readonly token?: string | undefined
}

/** Options of `tq.init`. */
export type TaskQueueOptions = HostTqOptions | UrlTqOptions

/** The one of the process, which starts with `init`. */
export interface TQ extends Tq<QueueStats> {
  /** Starts the queue and its workers. Returns the same `tq`, with the exact type of its `stats`. */
  init(options: HostTqOptions): Tq<QueueStats>
  init(options: UrlTqOptions): Tq<Promise<QueueStats>>
  /** With `{ url }` the counts have to be fetched: use `await tq.stats()`. Reading one without `await` then throws. */
  stats(): QueueStats
}

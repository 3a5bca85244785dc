/** Public types of `tq`. */

import type { EnqueueInput } from '../../../shared/contracts/produce.ts'
import type { ScheduleSettingsInput } from '../../../shared/contracts/schedules.ts'
import type { EnqueueResult } from '../../../shared/job.ts'
import type { Queue } from '../../../shared/queue.ts'
import type { TaskStatus } from '../../../shared/vocabulary.ts'
import type { Clock } from '../../base/clock.ts'
import type { HostHandle } from '../../compose/host-database.ts'
import type { WorkerEvent } from '../../worker/events.ts'
import type { JobContext } from '../../worker/jobs/handler.ts'
import type { JobGroup } from '../jobs/definition.ts'

/** The payload of a task type without a type parameter: any JSON, not checked by the compiler. */
export type AnyJson = ReturnType<typeof JSON.parse>

/** Runs one job. Receives its payload and a context with id, version, abort signal, `progress` and `log`. */
export type TaskHandler<Payload = AnyJson, Result = unknown> = (
  payload: Payload,
  job: JobContext<Payload>,
) => Result | Promise<Result>

/** Options of one `add`. */
export interface EnqueueOptions extends Omit<EnqueueInput, 'type' | 'payload' | 'kind' | 'face'> {
  /** Earliest start: a `Date` or Unix seconds. Default: now. */
  readonly run_after?: Date | number
}

/** A schedule of `schedule`: a rule (`cron` or `every`), a payload (default: null) and further settings. */
export interface ScheduleOptions<Payload = AnyJson>
  extends Omit<ScheduleSettingsInput, 'kind' | 'maxAttempts' | 'payload' | 'timeoutMs' | 'type'> {
  /** The payload of every job; default: null. */
  readonly payload?: Payload
}

/** One type of jobs. Every method returns the same object, so that calls can be chained. */
export interface TaskTypeContext<Payload = AnyJson, Result = unknown> {
  /** Adds a job. With `{ db }` it is committed on return; with `{ url }` it is sent in the background. */
  add(payload: Payload, options?: EnqueueOptions): this
  /** The id of the job of the last `add` on this object, and whether it existed already. Rejects when it was not stored. */
  added(): Promise<EnqueueResult>
  /**
   * Adds a job at each tick of a rule: `{ cron: '0 3 * * *', timezone: 'Europe/Berlin' }` or `{ every: '45m' }`. The handler finds the
   * tick in `job.tick`. A schedule that is not added again after a restart becomes orphaned, and stops after 24 hours.
   */
  schedule(name: string, options: ScheduleOptions<Payload>): this
  /** Runs jobs of this type in this process. A later call replaces the handler from the next job on. */
  setWorker(handler: TaskHandler<Payload, Result>): this
  /** Maximum number of jobs of this type that run at the same time in this process. Default: `batchSize`. */
  setWorkerCount(count: number): this
  /** Maximum number of jobs of this type that start per second, over all processes. Default: no limit. */
  setRateLimit(tasksPerSecond: number): this
  /** Timeout of one attempt, in seconds. Default: `taskTimeout`. */
  setTimeout(seconds: number): this
  /** Maximum number of attempts of a job. Default: 3. */
  setMaxAttempts(count: number): this
  /** Limits, rate and order per key, such as a tenant, over all processes. `add` calls a key function before it stores the job. */
  setGroup(group: JobGroup<Payload>): this
}

/** Numbers of jobs by status. */
export type TaskCounts = Readonly<Record<TaskStatus, number>>

/** Numbers of jobs by status, in total and by type. */
export interface QueueStats extends TaskCounts {
  /** Numbers of jobs of each type. */
  readonly byType: Readonly<Record<string, TaskCounts>>
}

/** Options of `stop`. */
export interface StopOptions {
  /** Time for running handlers to finish, in milliseconds; then they are aborted and their jobs released. Default: 30,000. */
  readonly graceMs?: number
}

/** A started queue. `Stats`: the return type of `stats`, the counts or a promise of them. */
export interface Tq<Stats = QueueStats | Promise<QueueStats>> {
  /** The task type of this name. Without a type parameter its payloads are not checked by the compiler. */
  <Payload = AnyJson, Result = unknown>(type: string): TaskTypeContext<Payload, Result>
  /** Pauses the workers of this process; running jobs continue. */
  pause(): void
  /** Resumes the workers of this process. */
  resume(): void
  /** Numbers of jobs by status, in total and by type. */
  stats(): Stats
  /** Resolves when every `add` so far is stored; rejects when one was not. */
  flush(): Promise<void>
  /** Waits until running handlers have finished, then closes the queue. */
  stop(options?: StopOptions): Promise<void>
  /** The underlying queue, for example for `createDashboard(await tq.queue())`. */
  queue(): Promise<Queue>
}

/** Options of `init` besides the database. */
export interface TqOptions {
  /** How long one claim waits for a job, in milliseconds; default 1,000. A new job is noticed much sooner. */
  readonly pollInterval?: number
  /** Maximum number of jobs of a type that run at the same time, unless `setWorkerCount` is called; default 10. */
  readonly batchSize?: number
  /** Timeout of one attempt, in seconds, unless `setTimeout` is called; default 300. */
  readonly taskTimeout?: number
  /** The name of the application as the owner of its schedules, unique among those that use the queue; default `tq`. */
  readonly owner?: string
  /** The version of your application, shown in the list of workers; default: the version of Millrace. */
  readonly version?: string
  /** Called with errors of background tasks, including jobs that could not be stored; default: a process warning. */
  readonly onError?: (error: unknown) => void
  /** Called with warnings about a probable misconfiguration; default: a process warning. */
  readonly onWarning?: (message: string) => void
  /** Called with every event of the workers; default: nothing. */
  readonly onEvent?: (event: WorkerEvent) => void
  /** Clock for timers and due times; default: the system clock. */
  readonly clock?: Clock
}

/** Options of `init` for a queue in the application's SQLite database. */
export interface HostTqOptions extends TqOptions {
  /** The application's database on a file: a better-sqlite3 `Database`, or a Drizzle database on one. */
  readonly db: HostHandle
}

/** Options of `init` for a queue by its address. */
export interface UrlTqOptions extends TqOptions {
  /** `sqlite:./data/queue.db`, `postgres://…`, or the address of a server, `http://127.0.0.1:3000`. */
  readonly url: string
  /** API token, for a server that requires one. */
  readonly token?: string | undefined
}

/** Options of `tq.init`. */
export type TaskQueueOptions = HostTqOptions | UrlTqOptions

/** The global queue of the process, started with `init`. */
export interface TQ extends Tq<QueueStats> {
  /** Starts the queue and its workers. Returns the same `tq`, with the exact type of its `stats`. */
  init(options: HostTqOptions): Tq<QueueStats>
  init(options: UrlTqOptions): Tq<Promise<QueueStats>>
  /** With `{ url }` this is a promise: use `await tq.stats()`. Reading a count without `await` throws. */
  stats(): QueueStats
}

/** The `Queue` interface: every verb of a queue, in this process or behind a server. */
import type { GroupKeyInput, GroupKeysInput, GroupsInput, GroupUpdateInput } from './contracts/groups.ts'
import type {
  AuditTrailInput,
  DepthsInput,
  FailureGroupsInput,
  HistoryInput,
  IdInput,
  JobFilter,
  ListInput,
  LogsInput,
  ResultInput,
  StatsInput,
  TypeInput,
} from './contracts/observe.ts'
import type {
  BulkCountInput,
  BulkInput,
  CleanupInput,
  DeclareTypesInput,
  DrainInput,
  SettingsUpdateInput,
  TypeUpdateInput,
} from './contracts/operate.ts'
import type { EnqueueInput } from './contracts/produce.ts'
import type {
  DeclareSchedulesInput,
  ScheduleBackfillInput,
  ScheduleCreateInput,
  ScheduleInput,
  SchedulePauseInput,
  SchedulePreviewInput,
  SchedulesInput,
  ScheduleUpdateInput,
} from './contracts/schedules.ts'
import type { Token, TokenCreateInput } from './contracts/tokens.ts'
import type {
  CancellationsInput,
  ClaimInput,
  CompleteInput,
  ExchangeInput,
  FailInput,
  HeartbeatInput,
  HoldersInput,
  LogInput,
  ProgressInput,
  ReleaseInput,
} from './contracts/work.ts'
import type { Explanation } from './explanation.ts'
import type { GroupKeyPage, GroupKeyRow, GroupPage } from './groups/records.ts'
import type { HostTransaction, PostgresTransaction, SqliteTransaction } from './host-transaction.ts'
import type { ActionResult, Attempt, ClaimedJob, EnqueueResult, Holder, Job, LogLine, SettleResult } from './job.ts'
import type { CancellationsAnswer, Exchanged, HeartbeatOutcome, ResultsAnswer } from './outcomes.ts'
import type {
  AuditRow,
  BulkRow,
  FailureGroup,
  ListPage,
  MatchCount,
  NewToken,
  QueueFacts,
  TypeRow,
  WorkerRow,
} from './records.ts'
import type {
  DeclaredSchedules,
  ScheduleDetails,
  ScheduleExplanation,
  SchedulePage,
  SchedulePreview,
  ScheduleRow,
  ScheduleRun,
} from './schedules/schedule.ts'
import type { QueueSettings } from './settings/settings.ts'
import type { Depths, MinuteRow, Stats } from './stats/stats.ts'
import type { StatusCounts } from './status.ts'

/** The address of a queue. */
export interface Address {
  /** The URL of the server or database. */
  readonly url: string
  /** The token for the server. */
  readonly token?: string | undefined
}

/** Options of a call that waits. */
export interface CallContext {
  /** Aborts the call when its caller no longer needs the response. */
  readonly signal?: AbortSignal | undefined
}

/** Options of a claim besides its input. */
export interface ClaimContext {
  /** Aborts the claim when its caller is gone: undelivered jobs are released, and their attempt is not counted. */
  readonly signal?: AbortSignal | undefined
}

/** The actor recorded in the audit trail. */
export interface Actor {
  /** The name in the audit trail; default `local`. */
  readonly actor?: string | undefined
}

/** Jobs that are stored together: all of them or none. */
export interface JobBatch {
  readonly jobs: readonly EnqueueInput[]
}

/** Verbs of producers. */
export interface ProducerVerbs {
  /** Stores a job and resolves when it is committed. */
  enqueue(input: EnqueueInput): Promise<EnqueueResult>
  /** Stores up to 1,000 jobs in one transaction: all of them or none. */
  enqueueMany(input: JobBatch): Promise<readonly EnqueueResult[]>
}

/** Synchronous on SQLite, a promise on PostgreSQL; `await` accepts both. */
export type MaybePromise<Value> = Value | Promise<Value>

/** Verbs that join a transaction of the application; only on a queue in this process. */
export interface Transactional {
  /** `enqueue` as part of `tx`: synchronous on SQLite, where a transaction cannot wait; a promise on PostgreSQL. */
  enqueueTx(tx: SqliteTransaction, input: EnqueueInput): EnqueueResult
  enqueueTx(tx: PostgresTransaction, input: EnqueueInput): Promise<EnqueueResult>
  enqueueTx(tx: HostTransaction, input: EnqueueInput): MaybePromise<EnqueueResult>
  /** `enqueueMany` as part of `tx`: all jobs or none. They exist once `tx` commits. */
  enqueueManyTx(tx: SqliteTransaction, input: JobBatch): readonly EnqueueResult[]
  enqueueManyTx(tx: PostgresTransaction, input: JobBatch): Promise<readonly EnqueueResult[]>
  enqueueManyTx(tx: HostTransaction, input: JobBatch): MaybePromise<readonly EnqueueResult[]>
}

/** Verbs of workers. */
export interface WorkerVerbs {
  /** Claims jobs under a lease; with `waitMs` it waits for one. */
  claim(input: ClaimInput, context?: ClaimContext): Promise<readonly ClaimedJob[]>
  /** Records outcomes and claims new jobs in one transaction. */
  exchange(input: ExchangeInput, context?: ClaimContext): Promise<Exchanged>
  /** Extends leases, and reports which were lost or cancelled and whether the worker should drain. */
  heartbeat(input: HeartbeatInput, context?: CallContext): Promise<HeartbeatOutcome>
  /** Resolves when one of the leased jobs is cancelled, or after `waitMs`: sooner than the next heartbeat. */
  cancellations(input: CancellationsInput, context?: CallContext): Promise<CancellationsAnswer>
  /** Records success; STALE_CLAIM when the job was claimed again meanwhile. */
  complete(input: CompleteInput): Promise<SettleResult>
  /** Records a failed attempt; the job is retried after its backoff unless it was the last attempt. */
  fail(input: FailInput): Promise<SettleResult>
  /** Returns a job to the queue without counting the attempt. */
  release(input: ReleaseInput): Promise<SettleResult>
  /** Stores the progress of a running job, in percent. */
  progress(input: ProgressInput, context?: CallContext): Promise<void>
  /** Adds lines to the log of a running job. */
  log(input: LogInput, context?: CallContext): Promise<void>
}

/** Verbs that only read. */
export interface ReadVerbs {
  /** Returns one job with its payload and result; NOT_FOUND when there is none. */
  get(input: IdInput): Promise<Job>
  /** Lists jobs that match a filter, one page at a time. */
  list(input?: ListInput): Promise<ListPage>
  /** Streams every matching job, newest first, with at most one page in memory. */
  export(filter?: JobFilter): AsyncIterable<ListPage['jobs'][number]>
  /** Returns the worker and the fencing token of each job; unknown ids and numbers are left out. */
  holders(input: HoldersInput): Promise<readonly Holder[]>
  /** Exact numbers of jobs by status, over all types. */
  counts(): Promise<StatusCounts>
  /** Exact counts by type, the age of the oldest ready job, throughput and latency. */
  stats(input?: StatsInput): Promise<Stats>
  /** Counters minute by minute, oldest first; at most a day. */
  history(input?: HistoryInput): Promise<readonly MinuteRow[]>
  /** The number of jobs of each type at the end of each minute; at most a day. */
  depths(input?: DepthsInput): Promise<Depths>
  /** Returns the outcomes of jobs; with `waitMs` it waits until one of them has finished. */
  result(input: ResultInput, context?: CallContext): Promise<ResultsAnswer>
  /** Explains in one sentence why a job is not running, or why it ran more than once. */
  explain(input: IdInput): Promise<Explanation>
  /** The finished attempts of a job, oldest first. */
  attempts(input: IdInput): Promise<readonly Attempt[]>
  /** The log lines of a job. */
  logs(input: LogsInput): Promise<readonly LogLine[]>
  /** All job types with their declared, overridden and effective settings. */
  types(): Promise<readonly TypeRow[]>
  /** One job type; NOT_FOUND when there is none. */
  type(input: TypeInput): Promise<TypeRow>
  /** The queue-wide settings, without secrets. */
  settings(): Promise<QueueSettings>
  /** The workers that called recently. */
  workers(): Promise<readonly WorkerRow[]>
  /** Failures of the last week, grouped by type and kind of error. */
  failureGroups(input?: FailureGroupsInput): Promise<readonly FailureGroup[]>
  /** Groups with their rules and exact numbers of jobs. */
  groups(input?: GroupsInput): Promise<GroupPage>
  /** The keys of a group: most blocked jobs, longest wait or most running jobs first. */
  groupKeys(input: GroupKeysInput): Promise<GroupKeyPage>
  /** One key of a group; zero jobs and the rules of the group when it has none. */
  groupKey(input: GroupKeyInput): Promise<GroupKeyRow>
  /** The progress of a bulk operation. */
  bulk(input: IdInput): Promise<BulkRow>
  /** Counts the jobs that match a filter for a limited time; `cursor` in the response is where to continue. */
  countBulk(input: BulkCountInput): Promise<MatchCount>
  /** The actions of operators, newest first. */
  auditTrail(input?: AuditTrailInput): Promise<readonly AuditRow[]>
  /** The database of the queue, its size and its state. */
  facts(): Promise<QueueFacts>
}

/** Verbs of operators; each change records its actor in the audit trail. */
export interface OperatorVerbs {
  /** Runs a failed, cancelled or retrying job again at once, from its first attempt. */
  retry(input: IdInput & Actor): Promise<ActionResult>
  /** Makes a scheduled or retrying job due at once. */
  runNow(input: IdInput & Actor): Promise<ActionResult>
  /** Cancels a waiting job; the handler of a running one gets an aborted signal. */
  cancel(input: IdInput & Actor): Promise<ActionResult>
  /** Deletes a job that is not running. */
  remove(input: IdInput & Actor): Promise<ActionResult>
  /** Deletes finished jobs; returns how many. */
  cleanup(input?: CleanupInput & Actor): Promise<{ readonly removed: number }>
  /** Stores the settings that code declares for its types; overrides of operators stay in force. */
  declareTypes(input: DeclareTypesInput & Actor, context?: CallContext): Promise<void>
  /** Overrides settings of a type, or removes overrides. */
  updateType(input: TypeUpdateInput & Actor): Promise<void>
  /** Stops claims of a type; running jobs go on. */
  pauseType(input: TypeInput & Actor): Promise<void>
  /** Allows claims of a type again. */
  resumeType(input: TypeInput & Actor): Promise<void>
  /** Changes queue-wide settings. */
  updateSettings(input: SettingsUpdateInput & Actor): Promise<void>
  /** Stops all claims; running jobs go on. */
  pause(input?: Actor): Promise<void>
  /** Allows claims again. */
  resume(input?: Actor): Promise<void>
  /** Overrides rules of a group or of one key, or lets a stopped key continue. */
  updateGroup(input: GroupUpdateInput & Actor): Promise<void>
  /** Lets a worker finish its jobs and stop. */
  drainWorker(input: DrainInput & Actor): Promise<void>
  /** Starts an operation on all jobs that match a filter. */
  startBulk(input: BulkInput & Actor): Promise<BulkRow>
  /** Stops a bulk operation; its changes so far remain. */
  cancelBulk(input: IdInput & Actor): Promise<BulkRow>
  /** Reverts the changes of a bulk operation within `undoMs`. */
  undoBulk(input: IdInput & Actor): Promise<BulkRow>
}

/** Verbs of schedules; each change records its actor in the audit trail. */
export interface ScheduleVerbs {
  /** Schedules in the order of their names, one page at a time. */
  schedules(input?: SchedulesInput): Promise<SchedulePage>
  /** One schedule with its last 50 and next 5 ticks; NOT_FOUND when there is none. */
  schedule(input: ScheduleInput): Promise<ScheduleDetails>
  /** The next ticks of a schedule, or of settings that are not stored. */
  previewSchedule(input: SchedulePreviewInput): Promise<SchedulePreview>
  /** Explains in one sentence why a schedule does not run, or when it does. */
  explainSchedule(input: ScheduleInput): Promise<ScheduleExplanation>
  /** Creates a schedule. */
  createSchedule(input: ScheduleCreateInput & Actor): Promise<ScheduleRow>
  /** Overrides settings of a schedule, or removes overrides. */
  updateSchedule(input: ScheduleUpdateInput & Actor): Promise<ScheduleRow>
  /** Stops the ticks of a schedule; its jobs go on. */
  pauseSchedule(input: SchedulePauseInput & Actor): Promise<ScheduleRow>
  /** Continues with the next tick after now; ticks during the pause are not caught up. */
  resumeSchedule(input: ScheduleInput & Actor): Promise<ScheduleRow>
  /** Enqueues a job of the schedule at once, also while it is paused; its ticks do not change. */
  runSchedule(input: ScheduleInput & Actor): Promise<ScheduleRun>
  /** Deletes a schedule and its history; its jobs remain. */
  deleteSchedule(input: ScheduleInput & Actor): Promise<void>
  /** Starts a bulk operation that enqueues the ticks between two times, oldest first. */
  backfillSchedule(input: ScheduleBackfillInput & Actor): Promise<BulkRow>
  /** Stores all schedules that an application declares; those it no longer declares become orphaned. */
  declareSchedules(input: DeclareSchedulesInput & Actor, context?: CallContext): Promise<DeclaredSchedules>
}

/** Verbs that manage tokens. */
export interface TokenVerbs {
  /** Creates a token. Its secret is in the response and is not stored. */
  createToken(input: TokenCreateInput & Actor): Promise<NewToken>
  /** All tokens that are not revoked, oldest first. */
  tokens(): Promise<readonly Token[]>
  /** Revokes a token and ends its sessions. Idempotent. */
  revokeToken(input: IdInput & Actor): Promise<{ readonly changed: boolean }>
}

/** All verbs of a queue, in this process or behind a server. */
export interface Queue extends ProducerVerbs, WorkerVerbs, ReadVerbs, OperatorVerbs, ScheduleVerbs, TokenVerbs {
  /** Where another thread or process finds the same queue; null when it ends with this process. */
  readonly address: Address | null
  /** Closes the connection; a queue in this process finishes pending writes first. */
  close(): Promise<void>
}

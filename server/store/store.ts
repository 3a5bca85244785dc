/** The interface between engine and database: one method to write, `commit`, and one method per read. */
import type { GroupRules } from '../../shared/contracts/groups.ts'
import type { JobFilter, ListParams } from '../../shared/contracts/observe.ts'
import type { HostTransaction } from '../../shared/host-transaction.ts'
import type { Attempt, Job, JobSummary, LogLine } from '../../shared/job.ts'
import type {
  AuditRow,
  BulkRow,
  FailureGroup,
  ListPage,
  MatchCount,
  StoreFacts,
  TypeRow,
  WorkerRow,
} from '../../shared/records.ts'
import type { ScheduleState, ScheduleTick } from '../../shared/schedules/schedule.ts'
import type { QueueSettings } from '../../shared/settings/settings.ts'
import type { MinuteRow } from '../../shared/stats/stats.ts'
import type { Kind, Status, StatusCounts } from '../../shared/status.ts'
import type { NewJob, Op, OpValue, Outcome } from './ops.ts'
import type {
  Activity,
  DepthRow,
  GroupKeysParams,
  GroupTotals,
  SessionRow,
  StoredKey,
  StoredKeyPage,
  StoredToken,
} from './records.ts'
import type { StoredSchedule } from './rows/schedule-rows.ts'

/** A job that changed in a commit. Equal `from` and `to`: another column than the status changed. */
export interface Change {
  /** The id of the job. */
  readonly id: string
  /** The name of the job type. */
  readonly type: string
  /** The status before; null: the job is new. */
  readonly from: Status | null
  /** The status now; null: the job was removed. */
  readonly to: Status | null
}

/** Durations of a change. */
export interface Measure {
  /** How long the job had been ready when it was claimed. */
  readonly waitMs?: number
  /** How long the attempt that ended here ran. */
  readonly runMs?: number
  /** How long the work took as measured by the worker, for example a command. Default: `runMs`. */
  readonly ownMs?: number | undefined
  readonly attemptFailed?: boolean
  /** The worker whose attempt ended here. */
  readonly worker?: string | null
}

/** When the next transitions caused by time are due. */
export interface DueTimes {
  /** A scheduled or retrying job becomes pending, or a waiting one expires. */
  readonly promoteAt: number | null
  /** A lease ends. */
  readonly leaseAt: number | null
}

/** A type with jobs that can be claimed. Claims without types take only some kinds. */
export interface Ready {
  readonly count: number
  readonly kind: Kind
  /** With a count of 0: when the rate limit allows the next job. */
  readonly nextAt?: number
}

export interface Commit {
  /** The store's clock during this commit. */
  readonly now: number
  readonly outcomes: readonly Outcome[]
  readonly changes: readonly Change[]
  /** One for each change, mostly undefined. */
  readonly measures: readonly (Measure | undefined)[]
  /** The types that this commit changed and that have jobs which can be claimed now. */
  readonly ready: ReadonlyMap<string, Ready>
  /** `leaseAt` is exact in commits with a `lead` operation. In others it may cover only the leases of the commit. */
  readonly due: DueTimes
}

export interface Paused {
  /** The queue as a whole. */
  readonly queue: boolean
  /** Paused types. */
  readonly types: ReadonlySet<string>
}

export interface Reads {
  get(id: string): Promise<Job | null>
  /** Without bodies, in no particular order; unknown ids are left out. */
  getMany(ids: readonly string[]): Promise<readonly JobSummary[]>
  /** The same by seq. */
  getNumbered(seqs: readonly number[]): Promise<readonly JobSummary[]>
  /** Stored results of completed jobs, by id. */
  results(ids: readonly string[]): Promise<ReadonlyMap<string, unknown>>
  attempts(id: string): Promise<readonly Attempt[]>
  logs(id: string, params: { readonly after: number; readonly limit: number }): Promise<readonly LogLine[]>
  /** How many ready jobs of its type come before this one in claim order, counted up to `limit`. */
  ahead(params: {
    readonly job: Pick<JobSummary, 'seq' | 'type' | 'priority' | 'runAt'>
    readonly limit: number
  }): Promise<number>
  /** How many blocked jobs of its key come before this one, counted up to `limit`. */
  aheadInKey(params: {
    readonly job: Pick<JobSummary, 'seq' | 'groupName' | 'groupKey' | 'priority' | 'runAt'>
    readonly limit: number
  }): Promise<number>
  list(params: ListParams): Promise<ListPage>
  /** The next ids that match, newest first below `before`; `cursor` null at the end. Time-bounded, so a chunk may be short. */
  match(params: {
    readonly filter: JobFilter
    readonly before: number
    readonly limit: number
  }): Promise<{ readonly ids: readonly string[]; readonly cursor: number | null }>
  /**
   * How many jobs match, newest first below `before` (null: all). Time-bounded: `cursor` is the start of the next call, null
   * when all jobs were counted.
   */
  countMatches(params: { readonly filter: JobFilter; readonly before: number | null }): Promise<MatchCount>
  /** Exact, by type in the order of names. With a type: of this one only. */
  counts(type?: string | null): Promise<ReadonlyMap<string, StatusCounts>>
  /** Exact, over all types. Cheap with any number of types. */
  totals(): Promise<StatusCounts>
  /** When the oldest ready job of each type became ready. With a type: of this one only. */
  oldestReady(type?: string | null): Promise<ReadonlyMap<string, number>>
  /** The sum of the minutes since `sinceMinute`, of one type or of all. */
  activity(params: { readonly sinceMinute: number; readonly type: string | null }): Promise<Activity>
  minutes(params: {
    readonly sinceMinute: number
    readonly type: string | null
    /** All types in one row, with an empty type and empty histograms. */
    readonly together?: boolean
  }): Promise<readonly MinuteRow[]>
  /** By minute. With a type: its rows and those of all types (type ''). */
  depths(params: { readonly sinceMinute: number; readonly type: string | null }): Promise<readonly DepthRow[]>
  types(): Promise<readonly TypeRow[]>
  /** Paused by an operator or in code. */
  paused(): Promise<Paused>
  settings(): Promise<QueueSettings>
  workers(): Promise<readonly WorkerRow[]>
  failureGroups(params: { readonly type: string | null; readonly limit: number }): Promise<readonly FailureGroup[]>
  audit(params: {
    readonly target: string | null
    readonly before: number | null
    readonly limit: number
  }): Promise<readonly AuditRow[]>
  /** Groups with a row of at least one key, in order of names. */
  groupTotals(): Promise<readonly GroupTotals[]>
  /** Rules of groups that operators have overridden, by group. */
  groupOverrides(): Promise<Readonly<Record<string, GroupRules>>>
  groupKeys(params: GroupKeysParams): Promise<StoredKeyPage>
  groupKey(params: { readonly name: string; readonly key: string }): Promise<StoredKey | null>
  bulk(id: string): Promise<BulkRow | null>
  /** Bulk operations that are not finished. */
  openBulks(): Promise<readonly BulkRow[]>
  /** In the order of their names, after `cursor`. */
  schedules(params: {
    readonly search: string | null
    readonly state: ScheduleState | null
    readonly type: string | null
    readonly cursor: string | null
    readonly limit: number
  }): Promise<readonly StoredSchedule[]>
  /** Those of these names and those of this owner. */
  schedulesNamed(params: {
    readonly names: readonly string[]
    readonly owner: string | null
  }): Promise<readonly StoredSchedule[]>
  /** The last ticks, newest first. */
  scheduleTicks(name: string, limit: number): Promise<readonly ScheduleTick[]>
  /** Schedules whose next tick is due at `now`, the longest overdue first. */
  dueSchedules(params: { readonly now: number; readonly limit: number }): Promise<readonly StoredSchedule[]>
  /** When the next tick of any schedule is due. */
  nextScheduleAt(): Promise<number | null>
  /** All that are not revoked, expired ones included, oldest first. */
  tokens(): Promise<readonly StoredToken[]>
  session(id: string): Promise<SessionRow | null>
}

export type Enqueued = OpValue<'enqueue'>

/** Any method may throw StoreFailed. After that only `close` may be called. */
export interface Store extends Reads {
  /** One transaction, one outcome per operation. Throws StoreBusy, CommitOutcomeUnknown or StoreFailed. */
  commit(ops: readonly Op[]): Promise<Commit>
  /**
   * Stores jobs in a transaction of the application, all or none: synchronously on SQLite, with a promise on PostgreSQL. `jobs` is
   * called inside, so that its errors are reported the same way. No event is emitted: the transaction has yet to commit.
   */
  enqueueIn(tx: HostTransaction, jobs: () => readonly NewJob[]): Enqueued | Promise<Enqueued>
  nextDue(): Promise<DueTimes>
  /** `Commit.ready` for all types. */
  ready(): Promise<ReadonlyMap<string, Ready>>
  now(): Promise<number>
  /** While claims are waiting, call `changedElsewhere` every `pollMs` to detect commits of other processes. */
  readonly pollMs: number
  changedElsewhere(): Promise<boolean>
  /** Calls `onHint` soon after commits of other nodes, where the database supports it. Hints may be lost, so polling continues. */
  listen?(onHint: () => void): Promise<() => Promise<void>>
  /** Sends a hint to the other nodes. */
  hint?(): Promise<void>
  /** One small step of database maintenance; `more`: another step is useful. */
  maintain(): Promise<{ readonly more: boolean }>
  facts(): Promise<StoreFacts>
  /** Reads the whole database once, unless it was checked since it was opened. Throws StoreFailed if it is damaged. */
  verify?(): Promise<void>
  close(): Promise<void>
}

/** The database is locked by another process or cannot be reached. Nothing was stored; try again. */
export class StoreBusy extends Error {
  override readonly name: string = 'StoreBusy'
}

/**
 * The connection was lost between COMMIT and its response: the commit may be stored. Another `commit` with the same array finds out,
 * and returns the result of the first if it was stored.
 */
export class CommitOutcomeUnknown extends StoreBusy {}

/** The database may be damaged: the process must stop, and a restart reads what was stored. */
export class StoreFailed extends Error {
  override readonly name = 'StoreFailed'
}

/** The seam between engine and database: one way to write, `commit`, and whole questions to read. */
import type { JobFilter, ListParams } from '../../shared/contracts/observe.ts'
import type { Attempt, Job, JobSummary, LogLine } from '../../shared/job.ts'
import type { QueueSettings } from '../../shared/settings.ts'
import type { Kind, Status, StatusCounts } from '../../shared/status.ts'
import type { HostTransaction } from './host-transaction.ts'
import type { NewJob, Op, OpValue, Outcome } from './ops.ts'
import type {
  Activity,
  AuditRow,
  BulkRow,
  DepthRow,
  FailureGroup,
  ListPage,
  MinuteRow,
  SessionRow,
  StoredToken,
  StoreFacts,
  TypeRow,
  WorkerRow,
} from './records.ts'

/** A job that changed in a commit; `from` null: new, `to` null: removed, equal: something other than the status. */
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

/** What is known of a change besides. */
export interface Measure {
  /** How long the job had been ready when it was claimed. */
  readonly waitMs?: number
  /** How long the attempt that ended here ran. */
  readonly runMs?: number
  /** How long its work took by the worker's own account, a command for example; default: `runMs`. */
  readonly ownMs?: number | undefined
  readonly attemptFailed?: boolean
  /** The worker whose attempt ended here. */
  readonly worker?: string | null
}

/** When the database next has something to do by itself. */
export interface DueTimes {
  /** A scheduled or retrying job becomes pending, or a waiting one expires. */
  readonly promoteAt: number | null
  /** A lease ends. */
  readonly leaseAt: number | null
}

/** A type with jobs to hand out: how many right now, and whether a claim that names no types may have them. */
export interface Ready {
  readonly count: number
  readonly kind: Kind
  /** With a count of 0: when a rate limit lets the next one through. */
  readonly nextAt?: number
}

export interface Commit {
  /** The store's clock during this commit. */
  readonly now: number
  readonly outcomes: readonly Outcome[]
  readonly changes: readonly Change[]
  /** One for each change, mostly undefined. */
  readonly measures: readonly (Measure | undefined)[]
  /** For the types this commit touched, those with jobs that could be claimed right now. */
  readonly ready: ReadonlyMap<string, Ready>
  /** `leaseAt` is exact for whoever has asked to lead; for others it may tell only of the leases of this commit. */
  readonly due: DueTimes
}

export interface MatchCount {
  readonly count: number
  readonly cursor: number | null
}

export interface Paused {
  /** The queue as a whole. */
  readonly queue: boolean
  /** Each by itself. */
  readonly types: ReadonlySet<string>
}

export interface Reads {
  get(id: string): Promise<Job | null>
  /** Without bodies, in no particular order; unknown ids are left out. */
  getMany(ids: readonly string[]): Promise<readonly JobSummary[]>
  /** The same by number. */
  getNumbered(seqs: readonly number[]): Promise<readonly JobSummary[]>
  /** Stored results of completed jobs, by id. */
  results(ids: readonly string[]): Promise<ReadonlyMap<string, unknown>>
  attempts(id: string): Promise<readonly Attempt[]>
  logs(id: string, params: { readonly after: number; readonly limit: number }): Promise<readonly LogLine[]>
  /** How many ready jobs of its type are claimed before this one, counted up to `limit`. */
  ahead(params: {
    readonly job: Pick<JobSummary, 'seq' | 'type' | 'priority' | 'runAt'>
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
   * How many jobs match, newest first below `before` (null: all). Time-bounded: `cursor` is where the next call goes on, and
   * null when everything was counted.
   */
  countMatches(params: { readonly filter: JobFilter; readonly before: number | null }): Promise<MatchCount>
  /** Exact, by type in the order of their names; with a type, of this one only. */
  counts(type?: string | null): Promise<ReadonlyMap<string, StatusCounts>>
  /** Exact, over all types: cheap with any number of types. */
  totals(): Promise<StatusCounts>
  /** Since when the oldest ready job of each type has been ready; with a type, of this one only. */
  oldestReady(type?: string | null): Promise<ReadonlyMap<string, number>>
  /** The minutes since `sinceMinute`, of one type or of all, added up. */
  activity(params: { readonly sinceMinute: number; readonly type: string | null }): Promise<Activity>
  minutes(params: {
    readonly sinceMinute: number
    readonly type: string | null
    /** All types in one row, whose own type and histograms are empty. */
    readonly together?: boolean
  }): Promise<readonly MinuteRow[]>
  /** By minute; with a type, its rows and those of all types (type ''). */
  depths(params: { readonly sinceMinute: number; readonly type: string | null }): Promise<readonly DepthRow[]>
  types(): Promise<readonly TypeRow[]>
  /** What is paused, by an operator or by code. */
  paused(): Promise<Paused>
  settings(): Promise<QueueSettings>
  workers(): Promise<readonly WorkerRow[]>
  failureGroups(params: { readonly type: string | null; readonly limit: number }): Promise<readonly FailureGroup[]>
  audit(params: {
    readonly target: string | null
    readonly before: number | null
    readonly limit: number
  }): Promise<readonly AuditRow[]>
  bulk(id: string): Promise<BulkRow | null>
  /** Bulk operations that still have work to do. */
  openBulks(): Promise<readonly BulkRow[]>
  /** All that are not revoked, expired ones included, oldest first. */
  tokens(): Promise<readonly StoredToken[]>
  session(id: string): Promise<SessionRow | null>
}

export type Enqueued = OpValue<'enqueue'>

/** Any method may throw StoreFailed: then the store is not to be used any more, except for `close`. */
export interface Store extends Reads {
  /** One transaction, one outcome per operation. Throws StoreBusy (nothing happened), StoreUnsure or StoreFailed (stop). */
  commit(ops: readonly Op[]): Promise<Commit>
  /**
   * Stores jobs inside a transaction of the caller's, all or none: at once on SQLite, as a promise on PostgreSQL. `jobs` makes
   * them in there, so that what it refuses arrives the same way. Nothing is told or woken: that transaction has yet to commit.
   */
  enqueueIn(tx: HostTransaction, jobs: () => readonly NewJob[]): Enqueued | Promise<Enqueued>
  nextDue(): Promise<DueTimes>
  /** The same for all types. */
  ready(): Promise<ReadonlyMap<string, Ready>>
  now(): Promise<number>
  /** How to learn of other processes' commits: ask `changedElsewhere` every `pollMs` while somebody waits. */
  readonly pollMs: number
  changedElsewhere(): Promise<boolean>
  /** A hint soon after other nodes' commits, where the database can give one; polling stays the truth. */
  listen?(onHint: () => void): Promise<() => Promise<void>>
  /** Gives the other nodes that hint. */
  hint?(): Promise<void>
  /** One small step of the database's own housekeeping; `more` when another step is useful. */
  maintain(): Promise<{ readonly more: boolean }>
  facts(): Promise<StoreFacts>
  /** Reads the whole database once, where nothing else has checked it since it was opened; StoreFailed: it is damaged. */
  verify?(): Promise<void>
  close(): Promise<void>
}

/** The database is held by someone else; nothing happened, try again. */
export class StoreBusy extends Error {
  override readonly name: string = 'StoreBusy'
}

/**
 * The connection broke between COMMIT and its answer: it may have happened. Another `commit` of the very same array finds
 * out, and gives what the first would have given; whoever does not ask leaves it as it is.
 */
export class StoreUnsure extends StoreBusy {}

/** The database can no longer be trusted to say what it stored: stop, and let a restart find out. */
export class StoreFailed extends Error {
  override readonly name = 'StoreFailed'
}

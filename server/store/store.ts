/** The seam between engine and database: one way to write, `commit`, and whole questions to read. */
import type { JobFilter, ListParams } from '../../shared/contracts/observe.ts'
import type { BulkAction } from '../../shared/contracts/operate.ts'
import type { Token } from '../../shared/contracts/tokens.ts'
import type { Attempt, Job, JobSummary, LogLine } from '../../shared/job.ts'
import type { Kind, Status, StatusCounts } from '../../shared/status.ts'
import type { EffectiveSettings, QueueSettings, TypeSettings } from '../../shared/type-settings.ts'
import type { HostTransaction } from './host-transaction.ts'
import type { NewJob, Op, OpValue, Outcome, TypeDepth } from './ops.ts'

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

/** One page of a list of jobs. */
export interface ListPage {
  /** The jobs, without payloads and results unless asked for. */
  readonly jobs: readonly (JobSummary & { readonly payload?: unknown; readonly result?: unknown })[]
  /** null: the end. With a search a page may come back short, or empty, and still have a next one. */
  readonly nextCursor: string | null
  /** How many jobs match; null where counting them would mean a search. */
  readonly total: number | null
}

export interface MatchCount {
  readonly count: number
  readonly cursor: number | null
}

/** A job type and its settings. */
export interface TypeRow {
  /** The name of the type. */
  readonly name: string
  /** What the type holds: jobs, messages or commands. */
  readonly kind: Kind
  /** What code declared. */
  readonly declared: TypeSettings
  /** What operators changed. */
  readonly override: TypeSettings
  /** What holds now. */
  readonly effective: EffectiveSettings
  /** When the type was first seen. */
  readonly createdAt: number
  /** When its settings last changed. */
  readonly updatedAt: number
}

/** What happened to one type in one minute. */
export interface MinuteRow {
  /** Minutes since 1970. */
  readonly minute: number
  /** The name of the type. */
  readonly type: string
  /** How many jobs were stored. */
  readonly enqueued: number
  /** How many completed. */
  readonly completed: number
  /** How many attempts failed. */
  readonly failed: number
  /** How many jobs failed for good. */
  readonly dead: number
  /** Histogram of the time from ready to claimed. */
  readonly waits: readonly number[]
  /** Histogram of the time from claimed to finished. */
  readonly runs: readonly number[]
}

/** The minute under which the sums of minutes that are no longer kept are stored, one row per type, without histograms. */
export const ALL_TIME_MINUTE = 0

/** What happened in a number of minutes. */
export interface Activity extends Omit<MinuteRow, 'minute' | 'type'> {
  /** How long the attempts that ended took together. */
  readonly runMs: number
}

export interface DepthRow extends TypeDepth {
  readonly minute: number
}

export interface Paused {
  /** The queue as a whole. */
  readonly queue: boolean
  /** Each by itself. */
  readonly types: ReadonlySet<string>
}

/** A worker that called lately. */
export interface WorkerRow {
  /** Its name. */
  readonly name: string
  /** The types it asks for; empty: all of kind `job`. */
  readonly types: readonly string[]
  /** When it first called. */
  readonly startedAt: number
  /** When it last called. */
  readonly seenAt: number
  /** When an operator asked it to finish and stop. */
  readonly drainRequestedAt: number | null
  /** How many jobs it holds. */
  readonly processing: number
  /** How many jobs it runs at the same time; null: it does not say. */
  readonly slots: number | null
  /** The version of its code; null: it does not say. */
  readonly version: string | null
}

/** Failures of the last week that have the same cause, judged by their messages. */
export interface FailureGroup {
  /** The name of the job type. */
  readonly type: string
  /** What their messages have in common. */
  readonly errorKey: string
  /** How many there were in the last hour. */
  readonly lastHour: number
  /** How many there were in the last day. */
  readonly lastDay: number
  /** How many there were in the last week. */
  readonly lastWeek: number
  /** When the first of them happened. */
  readonly firstSeenAt: number
  /** When the last of them happened. */
  readonly lastSeenAt: number
  /** The id of a recent job. */
  readonly sampleId: string
  /** The full message of that job. */
  readonly sampleError: string
  /** Failures per hour over the last day, oldest first: 24 numbers. */
  readonly trend: readonly number[]
}

/** One entry of the audit trail. */
export interface AuditRow {
  /** Its number. */
  readonly id: number
  /** When it happened. */
  readonly at: number
  /** Who did it. */
  readonly actor: string
  /** What was done. */
  readonly action: string
  /** What it was done to: the id of a job, the name of a type. */
  readonly target: string | null
  /** Anything else that was kept. */
  readonly details: unknown
}

export const BULK_STATES = ['waiting', 'running', 'done', 'cancelled', 'undoing', 'undone'] as const
export type BulkState = (typeof BULK_STATES)[number]

/** A bulk operation and how far it is. */
export interface BulkRow {
  /** The id of the operation. */
  readonly id: string
  /** What it does with each job. */
  readonly action: BulkAction
  /** Which jobs. */
  readonly filter: JobFilter
  /** Whether it waits, runs, is over or is being undone. */
  readonly state: BulkState
  /** Who started it. */
  readonly actor: string
  /** Where the next chunk starts (exclusive), going down. */
  readonly cursor: number
  /** How many jobs it has looked at. */
  readonly matched: number
  /** How many it has changed. */
  readonly changed: number
  /** How many were in a state in which it could not change them. */
  readonly skipped: number
  /** How many of its changes were taken back. */
  readonly undone: number
  /** When it begins. */
  readonly startsAt: number
  /** Until when it can be undone. */
  readonly undoUntil: number
  /** When it was started. */
  readonly createdAt: number
  /** When it ended; null: not yet. */
  readonly finishedAt: number | null
}

export interface StoredToken extends Token {
  /** SHA-256 of the secret, hex. */
  readonly hash: string
}

export interface SessionRow {
  /** null: opened with AUTH_TOKEN, and then `proof` says with which. */
  readonly tokenId: string | null
  readonly proof: string | null
  readonly seenAt: number
}

export interface StoreFacts {
  /** Which database. */
  readonly dialect: 'sqlite' | 'postgres'
  /** The version of the database. */
  readonly version: string
  /** The file, or the host and database. */
  readonly location: string
  /** Whether an acknowledged job survives power loss (`full`) or only a crash of the process (`normal`). */
  readonly durability: 'full' | 'normal'
  /** How large the database is. */
  readonly sizeBytes: number
  /** How large its write-ahead log is. */
  readonly walBytes: number
  /** So little space is left that new jobs are refused. */
  readonly isFull: boolean
  /** The clock jumped ahead, or nothing ran for long: retention and expiry wait until it has been steady for an hour. */
  readonly isClockUnsure: boolean
  /** A newer version has migrated the database since this one opened it: this process works on, and cannot be started again. */
  readonly hasNewerSchema: boolean
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

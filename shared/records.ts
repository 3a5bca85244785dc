/** Records that the verbs of a queue return: types, workers, failures, bulk operations, audit entries. */
import type { JobFilter } from './contracts/observe.ts'
import type { BulkAction } from './contracts/operate.ts'
import type { Token } from './contracts/tokens.ts'
import type { JobSummary } from './job.ts'
import type { EffectiveSettings, TypeSettings } from './settings/settings.ts'
import type { Kind } from './status.ts'

/** One page of a list of jobs. */
export interface ListPage {
  /** The jobs; payloads and results are included only on request. */
  readonly jobs: readonly (JobSummary & { readonly payload?: unknown; readonly result?: unknown })[]
  /** The cursor of the next page; null at the end. A page of a search may be short or empty and still have a next page. */
  readonly nextCursor: string | null
  /** How many jobs match; null where counting them would require a search. */
  readonly total: number | null
}

/** A job type and its settings. */
export interface TypeRow {
  /** The name of the type. */
  readonly name: string
  /** The kind of its jobs: jobs, messages or commands. */
  readonly kind: Kind
  /** Settings declared in code. */
  readonly declared: TypeSettings
  /** Settings overridden by operators. */
  readonly override: TypeSettings
  /** The settings in force. */
  readonly effective: EffectiveSettings
  /** When the type was first seen. */
  readonly createdAt: number
  /** When its settings last changed. */
  readonly updatedAt: number
}

/** A worker that called recently. */
export interface WorkerRow {
  /** Its name. */
  readonly name: string
  /** The types it claims; empty: all of kind `job`. */
  readonly types: readonly string[]
  /** When it first called. */
  readonly startedAt: number
  /** When it last called. */
  readonly seenAt: number
  /** When an operator requested that it drain: finish its jobs and stop. */
  readonly drainRequestedAt: number | null
  /** How many jobs it holds. */
  readonly processing: number
  /** How many jobs it runs at the same time; null: not reported. */
  readonly slots: number | null
  /** The version of its code; null: not reported. */
  readonly version: string | null
}

/** Failures of the last week that have the same cause, judged by their messages. */
export interface FailureGroup {
  /** The name of the job type. */
  readonly type: string
  /** The part that their messages have in common. */
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
  /** The name of the token or user that acted. */
  readonly actor: string
  /** The name of the action. */
  readonly action: string
  /** The id of the job or the name of the type that was acted on. */
  readonly target: string | null
  /** Further details of the action. */
  readonly details: unknown
}

export const BULK_STATES = ['waiting', 'running', 'done', 'cancelled', 'undoing', 'undone'] as const
export type BulkState = (typeof BULK_STATES)[number]

/** The ticks of a schedule that a bulk operation enqueues. */
export interface BackfillRange {
  /** The name of the schedule. */
  readonly schedule: string
  /** No tick before this time. */
  readonly from: number
  /** No tick after this time. */
  readonly to: number
  /** Whether ticks that have a job already are enqueued again. */
  readonly again: boolean
}

/** A bulk operation and its progress. */
export interface BulkRow {
  /** The id of the operation. */
  readonly id: string
  /** The action on each job; `backfill`: enqueues the ticks of a schedule. */
  readonly action: BulkAction | 'backfill'
  /** The filter that selects the jobs; of a backfill: the type. */
  readonly filter: JobFilter
  /** The ticks of a backfill; null: another action. */
  readonly backfill: BackfillRange | null
  /** Whether it waits, runs, has ended or is being undone. */
  readonly state: BulkState
  /** The name of the token or user that started it. */
  readonly actor: string
  /** Where the next chunk starts (exclusive), going down. */
  readonly cursor: number
  /** How many jobs it has looked at. */
  readonly matched: number
  /** How many it has changed. */
  readonly changed: number
  /** How many were in a state in which it could not change them. */
  readonly skipped: number
  /** How many of its changes were undone. */
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

/** A count of matching jobs. */
export interface MatchCount {
  /** How many jobs this call counted. */
  readonly count: number
  /** Where the next call continues; null when all jobs were counted. */
  readonly cursor: number | null
}

/** A new token with its secret. */
export interface NewToken extends Token {
  /** The secret. It is returned only once; only its hash is stored. */
  readonly token: string
}

/** A backup that the server has made. */
export interface BackupRecord {
  /** Its name in the server's backup folder. */
  readonly name: string
  /** The path of the file on the server. */
  readonly file: string
  /** The size of the file. */
  readonly bytes: number
  /** How many jobs it contains. */
  readonly jobs: number
}

/** The database of a queue. */
export interface StoreFacts {
  /** The database system. */
  readonly dialect: 'sqlite' | 'postgres'
  /** The version of the database. */
  readonly version: string
  /** The file, or the host and database. */
  readonly location: string
  /** Whether an acknowledged job survives power loss (`full`) or only a crash of the process (`normal`). */
  readonly durability: 'full' | 'normal'
  /** The size of the database. */
  readonly sizeBytes: number
  /** The size of its write-ahead log. */
  readonly walBytes: number
  /** True when so little disk space is left that new jobs are rejected. */
  readonly isFull: boolean
  /** True after a clock jump or a long standstill: retention and expiry wait until the clock has been steady for an hour. */
  readonly isClockUnsure: boolean
  /** True when a newer version has migrated the database since this process opened it: this version cannot open it again. */
  readonly hasNewerSchema: boolean
}

/** The database of a queue and the state of its maintenance. */
export interface QueueFacts extends StoreFacts {
  /** True when maintenance in this process has stopped: writes may be stuck. */
  readonly isStalled: boolean
}

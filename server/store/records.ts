/** What reads of a store answer: rows of types, minutes, workers, failures, bulk operations, tokens and the audit trail. */
import type { JobFilter } from '../../shared/contracts/observe.ts'
import type { BulkAction } from '../../shared/contracts/operate.ts'
import type { Token } from '../../shared/contracts/tokens.ts'
import type { JobSummary } from '../../shared/job.ts'
import type { EffectiveSettings, TypeSettings } from '../../shared/settings.ts'
import type { Kind } from '../../shared/status.ts'
import type { TypeDepth } from './ops.ts'

/** One page of a list of jobs. */
export interface ListPage {
  /** The jobs, without payloads and results unless asked for. */
  readonly jobs: readonly (JobSummary & { readonly payload?: unknown; readonly result?: unknown })[]
  /** null: the end. With a search a page may come back short, or empty, and still have a next one. */
  readonly nextCursor: string | null
  /** How many jobs match; null where counting them would mean a search. */
  readonly total: number | null
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

/** Records of counts, throughput, latency and queue depth. */
import type { StatusCounts } from '../status.ts'

/** Counters of one type for one minute. */
export interface MinuteRow {
  /** Minutes since 1970. */
  readonly minute: number
  /** The name of the type. */
  readonly type: string
  /** How many jobs were enqueued. */
  readonly enqueued: number
  /** How many jobs completed. */
  readonly completed: number
  /** How many attempts failed. */
  readonly failed: number
  /** How many jobs failed permanently. */
  readonly dead: number
  /** Histogram of the time from ready to claimed. */
  readonly waits: readonly number[]
  /** Histogram of the time from claimed to finished. */
  readonly runs: readonly number[]
}

/** Durations in milliseconds; null when there were none. */
export interface Percentiles {
  /** The median. */
  readonly p50: number | null
  /** The 95th percentile. */
  readonly p95: number | null
  /** The 99th percentile. */
  readonly p99: number | null
}

export interface OldestReady {
  readonly type: string
  readonly ms: number
}

/** Exact counts, the age of the oldest ready job, throughput and latency. */
export interface Stats {
  /** Number of jobs by status. */
  readonly counts: StatusCounts
  /** Number of jobs by status for each type. */
  readonly byType: Readonly<Record<string, StatusCounts>>
  /** How long the oldest claimable job has been ready; null when there is none. Paused types are excluded. */
  readonly oldestReadyMs: number | null
  /** The same age with the type of that job. */
  readonly oldestReady: OldestReady | null
  /** The same age for each type that has a ready job, paused types included. */
  readonly oldestReadyMsByType: Readonly<Record<string, number>>
  /** Counters of the last 15 minutes. */
  readonly throughput: {
    readonly windowMs: number
    readonly enqueued: number
    readonly completed: number
    readonly failed: number
    readonly dead: number
  }
  /** `wait`: from ready to claimed. `run`: from claimed to settled. In milliseconds. */
  readonly latency: { readonly wait: Percentiles; readonly run: Percentiles }
  /** Totals of all attempts that ever ended, removed jobs included; null unless requested with `allTime`. */
  readonly allTime: AllTime | null
}

export interface AllTime {
  /** Attempts that completed a job. */
  readonly completed: number
  /** Attempts that failed or whose worker crashed. */
  readonly failed: number
  /** The total duration of these attempts, in milliseconds. */
  readonly runMs: number
}

export interface Depths {
  /** Recorded minutes since 1970, oldest first. A missing minute is unknown, not zero. */
  readonly minutes: readonly number[]
  /** Depths at the end of each of these minutes; a missing type had no jobs. */
  readonly types: Readonly<Record<string, { readonly ready: readonly number[]; readonly backlog: readonly number[] }>>
}

/** Results of the verbs of a queue: claims, settlements, heartbeats and outcomes of jobs. */
import { type ErrorCode, QueueError } from './errors.ts'
import type { ClaimedJob, SettleResult } from './job.ts'
import type { TerminalStatus } from './status.ts'

/** Times taken just before the response is sent: a worker derives the age of its leases without comparing clocks. */
export interface ClaimTiming {
  /** Milliseconds since the request arrived. */
  readonly elapsedMs: number
  /** The queue's clock, by which `startedAt` and `leaseUntil` are set. */
  readonly now: number
}

/** The result of one settlement: recorded, or rejected with an error. */
export type SettleOutcome =
  | { readonly ok: true; readonly value: SettleResult }
  | { readonly ok: false; readonly error: QueueError }

/** The result of an exchange: settlements in the order of the request, and newly claimed jobs. */
export interface Exchanged {
  /** One result per settlement, in the order of the request. */
  readonly settled: readonly SettleOutcome[]
  /** The claimed jobs. */
  readonly jobs: readonly ClaimedJob[]
  /** Present only with jobs. */
  readonly timing?: ClaimTiming | undefined
}

/** The state of the leases that a worker asked to extend. */
export interface HeartbeatOutcome {
  /** Ids of the jobs whose lease was extended. */
  readonly extended: readonly string[]
  /** Ids of the jobs that this worker no longer holds. */
  readonly lost: readonly string[]
  /** Ids of extended jobs for which an operator requested cancellation. */
  readonly cancelled: readonly string[]
  /** True when an operator requested that this worker drain: finish its jobs and stop. */
  readonly draining: boolean
}

/** Running jobs that were cancelled. */
export interface CancellationsAnswer {
  /** Ids of the leased jobs that were cancelled while running. */
  readonly cancelled: readonly string[]
}

/** How a job ended: `completed` with its result, `failed` or `cancelled` with its error, or `missing`. */
export type JobOutcome =
  | { readonly id: string; readonly status: 'completed'; readonly result: unknown }
  | { readonly id: string; readonly status: Exclude<TerminalStatus, 'completed'>; readonly error: string | null }
  /** Unknown id, or a job that has been removed. */
  | { readonly id: string; readonly status: 'missing' }

/** The outcomes of finished jobs, and the ids of unfinished ones. */
export interface ResultsAnswer {
  /** Outcomes of the jobs that have finished. */
  readonly outcomes: readonly JobOutcome[]
  /** Ids of the jobs that have not finished yet. */
  readonly notYet: readonly string[]
}

/** An error as JSON. */
export interface ErrorData {
  readonly code: ErrorCode
  readonly message: string
  readonly details: Readonly<Record<string, unknown>>
}

/** `SettleOutcome` as JSON. */
export type SettledData =
  | { readonly ok: true; readonly value: SettleResult }
  | { readonly ok: false; readonly error: ErrorData }

/** `Exchanged` as JSON: the response of the procedure `exchange`. */
export interface ExchangedData extends Omit<Exchanged, 'settled'> {
  readonly settled: readonly SettledData[]
}

export function fromSettledData(settled: SettledData): SettleOutcome {
  if (settled.ok) return settled
  const { code, message, details } = settled.error
  return { ok: false, error: new QueueError(code, message, details) }
}

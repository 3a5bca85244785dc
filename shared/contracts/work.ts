/** Inputs of workers. */
import { z } from 'zod'
import { LOG_STREAMS, type LogStream } from '../job.ts'
import { limits } from '../limits.ts'
import { type JobKind, KINDS } from '../status.ts'
import {
  delayMs,
  jobId,
  leaseMs,
  storable,
  typeName,
  version,
  waitMs,
  workerName,
  workerProcess,
  workerSlots,
  workerVersion,
} from './fields.ts'

/** Details of a worker for the list of workers. `version` is the application version, not a fencing token. */
export const aboutWorker = z.strictObject({
  slots: workerSlots.optional(),
  version: workerVersion.optional(),
  process: workerProcess.optional(),
})

export const claimInput = z.strictObject({
  worker: workerName,
  types: z.array(typeName).min(1).max(limits.claimTypes).optional(),
  kind: z.enum(KINDS).optional(),
  limit: z.int().min(1).max(limits.claim).default(1),
  waitMs,
  leaseMs: leaseMs.optional(),
  requestId: storable(limits.requestIdLength).optional(),
  settle: z.boolean().default(false),
  about: aboutWorker.optional(),
})

export const completeInput = z.strictObject({
  id: jobId,
  version,
  result: z.unknown().optional(),
  /** Duration of the work in milliseconds, for the totals of `stats`; default: from the claim to this call. */
  durationMs: z.number().min(0).max(limits.delayMs).optional(),
})
export const failInput = z.strictObject({
  id: jobId,
  version,
  error: z.string(),
  stack: z.string().optional(),
  retry: z.boolean().default(true),
  retryInMs: delayMs.optional(),
  cancel: z.boolean().default(false),
  exitCode: z.int().min(-1_000).max(1_000).optional(),
  /** Duration of the work in milliseconds, for the totals of `stats`; default: from the claim to this call. */
  durationMs: z.number().min(0).max(limits.delayMs).optional(),
})
export const releaseInput = z.strictObject({
  id: jobId,
  version,
  delayMs: delayMs.default(0),
  groupBusy: z.boolean().default(false),
})

export const settleInput = z.discriminatedUnion('kind', [
  completeInput.extend({
    kind: z.literal('complete'),
  }),
  failInput.extend({ kind: z.literal('fail') }),
  releaseInput.extend({ kind: z.literal('release') }),
])

export const exchangeInput = z.strictObject({
  worker: workerName,
  settle: z.array(settleInput).max(limits.settle).default([]),
  claim: claimInput.omit({ worker: true }).optional(),
})

export const cancellationsInput = z.strictObject({
  worker: workerName,
  leases: z
    .array(z.strictObject({ id: jobId, version }))
    .min(1)
    .max(limits.leases),
  waitMs,
})

export const heartbeatInput = z.strictObject({
  worker: workerName,
  leases: z.array(z.strictObject({ id: jobId, version })).max(limits.leases),
  leaseMs: leaseMs.optional(),
})

/** Jobs by id, or messages by number. */
export const holdersInput = z.strictObject({
  ids: z.array(jobId).max(limits.settle).default([]),
  seqs: z.array(z.int().min(1)).max(limits.settle).default([]),
})

export const progressInput = z.strictObject({
  id: jobId,
  version,
  progress: z.number().min(0).max(100),
})
export const logInput = z.strictObject({
  id: jobId,
  version,
  lines: z
    .array(z.strictObject({ line: z.string(), stream: z.enum(LOG_STREAMS).default('log') }))
    .min(1)
    .max(limits.logLines),
})

/** Details of a worker, shown in the list of workers. */
export interface AboutWorker {
  /** Number of jobs that the worker runs at the same time. */
  slots?: number | undefined
  /** The version of the application's code. */
  version?: string | undefined
  /**
   * The operating-system process of the worker: a job that has crashed a process runs only in a process without other
   * jobs.
   */
  process?: string | undefined
}

/** Jobs to claim, the lease, and how long to wait. */
export interface ClaimInput {
  /** The name of the worker, unique among all workers. */
  worker: string
  /** Claim jobs of these types only; default: all types of kind `job`. */
  types?: string[] | undefined
  /** Claim types of this kind only; default `job` when no types are named. */
  kind?: JobKind | undefined
  /** Maximum number of jobs to claim; default 1. */
  limit?: number | undefined
  /** How long to wait for a job, in milliseconds; default 0. */
  waitMs?: number | undefined
  /**
   * Length of the lease without a heartbeat, in milliseconds; default: the timeout of the type, else `leaseMs` of the
   * queue.
   */
  leaseMs?: number | undefined
  /** Idempotency key: a claim that is repeated with the same id after a lost response returns the same jobs. */
  requestId?: string | undefined
  /** Complete the jobs in the same transaction: delivery at most once, without a lease; default false. */
  settle?: boolean | undefined
  /** Details of the worker for the list of workers. */
  about?: AboutWorker | undefined
}

/** A claimed job that has completed. */
export interface CompleteInput {
  /** The id of the job. */
  id: string
  /** The fencing token of the claim; a newer claim makes the call fail with STALE_CLAIM. */
  version: number
  /** The result to store, any JSON value. */
  result?: unknown
  /** Duration of the work in milliseconds, for the totals of `stats`; default: from the claim to this call. */
  durationMs?: number | undefined
}

/** A claimed job whose attempt failed. */
export interface FailInput {
  /** The id of the job. */
  id: string
  /** The fencing token of the claim; a newer claim makes the call fail with STALE_CLAIM. */
  version: number
  /** The error; the first 1,000 characters are stored with the job, 16,384 with the attempt. */
  error: string
  /**
   * The error with its stack trace: stored with the attempt in place of `error`, never with the job; default: none.
   */
  stack?: string | undefined
  /** false: the job fails without further attempts; default true. */
  retry?: boolean | undefined
  /** Delay before the next attempt, in milliseconds; default: the backoff of the job or its type. */
  retryInMs?: number | undefined
  /** true: the job ends as cancelled instead of failed; default false. */
  cancel?: boolean | undefined
  /** The exit code, when the attempt was a command. */
  exitCode?: number | undefined
  /** Duration of the work in milliseconds, for the totals of `stats`; default: from the claim to this call. */
  durationMs?: number | undefined
}

/** A claimed job to release without counting the attempt. */
export interface ReleaseInput {
  /** The id of the job. */
  id: string
  /** The fencing token of the claim; a newer claim makes the call fail with STALE_CLAIM. */
  version: number
  /** Delay before the job can be claimed again, in milliseconds; default 0. */
  delayMs?: number | undefined
  /** true: no other job of the key of its group starts for `delayMs` either, for example after a 429 of an upstream; default false. */
  groupBusy?: boolean | undefined
}

/** One outcome of a claimed job: `complete`, `fail` or `release`. */
export type SettleInput =
  | (CompleteInput & {
      /** Which outcome: `complete`, `fail` or `release`. */
      kind: 'complete'
    })
  | (FailInput & {
      /** Which outcome: `complete`, `fail` or `release`. */
      kind: 'fail'
    })
  | (ReleaseInput & {
      /** Which outcome: `complete`, `fail` or `release`. */
      kind: 'release'
    })

/** Outcomes to record and jobs to claim, in one transaction. */
export interface ExchangeInput {
  /** The name of the worker, unique among all workers. */
  worker: string
  /** Outcomes of jobs this worker has claimed; default: none. */
  settle?: SettleInput[] | undefined
  /** The claim in the same call; default: none. */
  claim?: Omit<ClaimInput, 'worker'> | undefined
}

/** Leases to extend. */
export interface HeartbeatInput {
  /** The name of the worker, unique among all workers. */
  worker: string
  /** The claims to extend: job ids with their fencing tokens. */
  leases: { id: string; version: number }[]
  /** New length of the leases from now, in milliseconds; default: as in the claim. */
  leaseMs?: number | undefined
}

/** Running jobs to watch for cancellation. */
export interface CancellationsInput {
  /** The name of the worker; a new call of the same worker ends this one. */
  worker: string
  /** The claims to watch: job ids with their fencing tokens. */
  leases: { id: string; version: number }[]
  /** How long to wait until one of the jobs is cancelled, in milliseconds; default 0. */
  waitMs?: number | undefined
}

/** Jobs by id, or messages by number. */
export interface HoldersInput {
  /** Ids of jobs; default: none. */
  ids?: string[] | undefined
  /** Numbers of messages; default: none. */
  seqs?: number[] | undefined
}

/** Progress of a claimed job. */
export interface ProgressInput {
  /** The id of the job. */
  id: string
  /** The fencing token of the claim; a newer claim makes the call fail with STALE_CLAIM. */
  version: number
  /** Progress in percent. */
  progress: number
}

/** Lines for the log of a claimed job. */
export interface LogInput {
  /** The id of the job. */
  id: string
  /** The fencing token of the claim; a newer claim makes the call fail with STALE_CLAIM. */
  version: number
  /** The lines to add; lines longer than 4,096 characters are truncated. */
  lines: { line: string; stream?: LogStream | undefined }[]
}

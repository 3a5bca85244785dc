/** What workers send. */
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

/** What a worker says of itself, for whoever looks at the list of workers. Its `version` is that of its code, no lease's. */
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
  /** How long the work itself took, in milliseconds, for the totals of `stats`; default: from the claim to this call. */
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
  /** How long the work itself took, in milliseconds, for the totals of `stats`; default: from the claim to this call. */
  durationMs: z.number().min(0).max(limits.delayMs).optional(),
})
export const releaseInput = z.strictObject({
  id: jobId,
  version,
  delayMs: delayMs.default(0),
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

/** Jobs by their ids, or by the numbers that messages have. */
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

/** What a worker says about itself. */
export interface AboutWorker {
  /** How many jobs the worker runs at the same time. */
  slots?: number | undefined
  /** The version of the application's code. */
  version?: string | undefined
  /**
   * The operating-system process the worker runs in: a job that has crashed a process is run by a process that runs no
   * other job.
   */
  process?: string | undefined
}

/** Which jobs to claim, for how long, and how long to wait for one. */
export interface ClaimInput {
  /** The name of the worker, unique among all workers. */
  worker: string
  /** Claim jobs of these types only; default: all types of kind `job`. */
  types?: string[] | undefined
  /** Claim types of this kind only; default `job` when no types are named. */
  kind?: JobKind | undefined
  /** How many jobs to claim at most; default 1. */
  limit?: number | undefined
  /** How long to wait for a job when there is none, in milliseconds; default 0. */
  waitMs?: number | undefined
  /**
   * How long the lease lasts without a heartbeat, in milliseconds; default: the type's timeout, or else the queue's
   * `leaseMs`.
   */
  leaseMs?: number | undefined
  /** An id of your own for this claim: repeated with the same id after a lost response, it returns the same jobs. */
  requestId?: string | undefined
  /** Complete the jobs at once, in the same transaction: at most once, no lease to keep; default false. */
  settle?: boolean | undefined
  /** What to show of this worker in the list of workers. */
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
  /** How long the work itself took, in milliseconds, for the totals of `stats`; default: from the claim to this call. */
  durationMs?: number | undefined
}

/** A claimed job whose attempt failed. */
export interface FailInput {
  /** The id of the job. */
  id: string
  /** The fencing token of the claim; a newer claim makes the call fail with STALE_CLAIM. */
  version: number
  /** Why the attempt failed; the first 1,000 characters are kept with the job, 16,384 with the attempt. */
  error: string
  /**
   * Where it failed, beginning with the reason: kept with the attempt in place of `error`, never with the job; default:
   * none.
   */
  stack?: string | undefined
  /** Whether the job may be tried again; default true. */
  retry?: boolean | undefined
  /** How long to wait before the next attempt, in milliseconds; default: by the backoff of the job or its type. */
  retryInMs?: number | undefined
  /** Whether the job ends as cancelled because the work is no longer wanted; default false. */
  cancel?: boolean | undefined
  /** The exit code, when the attempt was a command. */
  exitCode?: number | undefined
  /** How long the work itself took, in milliseconds, for the totals of `stats`; default: from the claim to this call. */
  durationMs?: number | undefined
}

/** A claimed job to give back without counting the attempt. */
export interface ReleaseInput {
  /** The id of the job. */
  id: string
  /** The fencing token of the claim; a newer claim makes the call fail with STALE_CLAIM. */
  version: number
  /** How long the job waits before it can be claimed again, in milliseconds; default 0. */
  delayMs?: number | undefined
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
  /** What to claim in the same call; default: nothing. */
  claim?: Omit<ClaimInput, 'worker'> | undefined
}

/** The leases that a worker wants to keep. */
export interface HeartbeatInput {
  /** The name of the worker, unique among all workers. */
  worker: string
  /** The claims to extend: job ids with their fencing tokens. */
  leases: { id: string; version: number }[]
  /** How long the leases last from now, in milliseconds; default: as at the claim. */
  leaseMs?: number | undefined
}

/** The running jobs that a worker wants to hear about. */
export interface CancellationsInput {
  /** The name of the worker; its next call takes the place of this one, which is then answered at once. */
  worker: string
  /** The claims to watch: job ids with their fencing tokens. */
  leases: { id: string; version: number }[]
  /** How long to wait until one of the jobs is cancelled, in milliseconds; default 0. */
  waitMs?: number | undefined
}

/** Jobs by their ids, or by the numbers that messages have. */
export interface HoldersInput {
  /** Ids of jobs; default: none. */
  ids?: string[] | undefined
  /** Numbers of messages; default: none. */
  seqs?: number[] | undefined
}

/** How far a claimed job is. */
export interface ProgressInput {
  /** The id of the job. */
  id: string
  /** The fencing token of the claim; a newer claim makes the call fail with STALE_CLAIM. */
  version: number
  /** How much is done, in percent. */
  progress: number
}

/** Lines for the log of a claimed job. */
export interface LogInput {
  /** The id of the job. */
  id: string
  /** The fencing token of the claim; a newer claim makes the call fail with STALE_CLAIM. */
  version: number
  /** The lines to add; those longer than 4,096 characters are cut. */
  lines: { line: string; stream?: LogStream | undefined }[]
}

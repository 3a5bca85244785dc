/** What workers send. */
import { z } from 'zod'
import { LOG_STREAMS } from '../job.ts'
import { limits } from '../limits.ts'
import { KINDS } from '../status.ts'
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
  /** How many jobs the worker runs at the same time. */
  slots: workerSlots.optional(),
  /** The version of the application's code. */
  version: workerVersion.optional(),
  /**
   * The operating-system process the worker runs in: a job that has crashed a process is run by a process that runs no other
   * job.
   */
  process: workerProcess.optional(),
})

export const claimInput = z.strictObject({
  /** The name of the worker, unique among all workers. */
  worker: workerName,
  /** Claim jobs of these types only; default: all types of kind `job`. */
  types: z.array(typeName).min(1).max(limits.claimTypes).optional(),
  /** Claim types of this kind only; default `job` when no types are named. */
  kind: z.enum(KINDS).optional(),
  /** How many jobs to claim at most; default 1. */
  limit: z.int().min(1).max(limits.claim).default(1),
  /** How long to wait for a job when there is none, in milliseconds; default 0. */
  waitMs,
  /**
   * How long the lease lasts without a heartbeat, in milliseconds; default: the type's timeout, or else the queue's
   * `leaseMs`.
   */
  leaseMs: leaseMs.optional(),
  /** An id of your own for this claim: repeated with the same id after a lost response, it returns the same jobs. */
  requestId: storable(limits.requestIdLength).optional(),
  /** Complete the jobs at once, in the same transaction: at most once, no lease to keep; default false. */
  settle: z.boolean().default(false),
  /** What to show of this worker in the list of workers. */
  about: aboutWorker.optional(),
})

export const completeInput = z.strictObject({
  /** The id of the job. */
  id: jobId,
  /** The fencing token of the claim; a newer claim makes the call fail with STALE_CLAIM. */
  version,
  /** The result to store, any JSON value. */
  result: z.unknown().optional(),
})
export const failInput = z.strictObject({
  /** The id of the job. */
  id: jobId,
  /** The fencing token of the claim; a newer claim makes the call fail with STALE_CLAIM. */
  version,
  /** Why the attempt failed; the first 1,000 characters are kept with the job, 16,384 with the attempt. */
  error: z.string(),
  /** Where it failed, beginning with the reason: kept with the attempt in place of `error`, never with the job; default: none. */
  stack: z.string().optional(),
  /** Whether the job may be tried again; default true. */
  retry: z.boolean().default(true),
  /** How long to wait before the next attempt, in milliseconds; default: by the backoff of the job or its type. */
  retryInMs: delayMs.optional(),
  /** Whether the job ends as cancelled because the work is no longer wanted; default false. */
  cancel: z.boolean().default(false),
  /** The exit code, when the attempt was a command. */
  exitCode: z.int().min(-1_000).max(1_000).optional(),
})
export const releaseInput = z.strictObject({
  /** The id of the job. */
  id: jobId,
  /** The fencing token of the claim; a newer claim makes the call fail with STALE_CLAIM. */
  version,
  /** How long the job waits before it can be claimed again, in milliseconds; default 0. */
  delayMs: delayMs.default(0),
})

export const settleInput = z.discriminatedUnion('kind', [
  completeInput.extend({
    /** Which outcome: `complete`, `fail` or `release`. */
    kind: z.literal('complete'),
  }),
  failInput.extend({ kind: z.literal('fail') }),
  releaseInput.extend({ kind: z.literal('release') }),
])

export const exchangeInput = z.strictObject({
  /** The name of the worker, unique among all workers. */
  worker: workerName,
  /** Outcomes of jobs this worker has claimed; default: none. */
  settle: z.array(settleInput).max(limits.settle).default([]),
  /** What to claim in the same call; default: nothing. */
  claim: claimInput.omit({ worker: true }).optional(),
})

export const heartbeatInput = z.strictObject({
  /** The name of the worker, unique among all workers. */
  worker: workerName,
  /** The claims to extend: job ids with their fencing tokens. */
  leases: z.array(z.strictObject({ id: jobId, version })).max(limits.leases),
  /** How long the leases last from now, in milliseconds; default: as at the claim. */
  leaseMs: leaseMs.optional(),
})

/** Jobs by their ids, or by the numbers that messages have. */
export const holdersInput = z.strictObject({
  /** Ids of jobs; default: none. */
  ids: z.array(jobId).max(limits.settle).default([]),
  /** Numbers of messages; default: none. */
  seqs: z.array(z.int().min(1)).max(limits.settle).default([]),
})

export const progressInput = z.strictObject({
  /** The id of the job. */
  id: jobId,
  /** The fencing token of the claim; a newer claim makes the call fail with STALE_CLAIM. */
  version,
  /** How much is done, in percent. */
  progress: z.number().min(0).max(100),
})
export const logInput = z.strictObject({
  /** The id of the job. */
  id: jobId,
  /** The fencing token of the claim; a newer claim makes the call fail with STALE_CLAIM. */
  version,
  /** The lines to add; those longer than 4,096 characters are cut. */
  lines: z
    .array(z.strictObject({ line: z.string(), stream: z.enum(LOG_STREAMS).default('log') }))
    .min(1)
    .max(limits.logLines),
})

/** What a worker says about itself. */
export type AboutWorker = z.output<typeof aboutWorker>
/** Which jobs to claim, for how long, and how long to wait for one. */
export type ClaimInput = z.input<typeof claimInput>
/** A claimed job that has completed. */
export type CompleteInput = z.input<typeof completeInput>
/** A claimed job whose attempt failed. */
export type FailInput = z.input<typeof failInput>
/** A claimed job to give back without counting the attempt. */
export type ReleaseInput = z.input<typeof releaseInput>
/** One outcome of a claimed job: `complete`, `fail` or `release`. */
export type SettleInput = z.input<typeof settleInput>
/** Outcomes to record and jobs to claim, in one transaction. */
export type ExchangeInput = z.input<typeof exchangeInput>
/** The leases that a worker wants to keep. */
export type HeartbeatInput = z.input<typeof heartbeatInput>
/** Jobs by their ids, or by the numbers that messages have. */
export type HoldersInput = z.input<typeof holdersInput>
/** How far a claimed job is. */
export type ProgressInput = z.input<typeof progressInput>
/** Lines for the log of a claimed job. */
export type LogInput = z.input<typeof logInput>

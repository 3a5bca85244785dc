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
  slots: workerSlots.optional(),
  version: workerVersion.optional(),
  /** The operating-system process it runs in: a job with crashes is given to a process that runs no other. */
  process: workerProcess.optional(),
})

export const claimInput = z.strictObject({
  worker: workerName,
  types: z.array(typeName).min(1).max(limits.claimTypes).optional(),
  /** Only types of this kind, named or not; without it a claim that names no types gets kind `job`. */
  kind: z.enum(KINDS).optional(),
  limit: z.int().min(1).max(limits.claim).default(1),
  waitMs,
  leaseMs: leaseMs.optional(),
  requestId: storable(limits.requestIdLength).optional(),
  settle: z.boolean().default(false),
  about: aboutWorker.optional(),
})

export const completeInput = z.strictObject({ id: jobId, version, result: z.unknown().optional() })
export const failInput = z.strictObject({
  id: jobId,
  version,
  error: z.string(),
  retry: z.boolean().default(true),
  retryInMs: delayMs.optional(),
  /** The work is no longer wanted: the job ends as cancelled. */
  cancel: z.boolean().default(false),
  exitCode: z.int().min(-1_000).max(1_000).optional(),
})
export const releaseInput = z.strictObject({ id: jobId, version, delayMs: delayMs.default(0) })

export const settleInput = z.discriminatedUnion('kind', [
  completeInput.extend({ kind: z.literal('complete') }),
  failInput.extend({ kind: z.literal('fail') }),
  releaseInput.extend({ kind: z.literal('release') }),
])

export const exchangeInput = z.strictObject({
  worker: workerName,
  settle: z.array(settleInput).max(limits.settle).default([]),
  claim: claimInput.omit({ worker: true }).optional(),
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

export const progressInput = z.strictObject({ id: jobId, version, progress: z.number().min(0).max(100) })
export const logInput = z.strictObject({
  id: jobId,
  version,
  lines: z
    .array(z.strictObject({ line: z.string(), stream: z.enum(LOG_STREAMS).default('log') }))
    .min(1)
    .max(limits.logLines),
})

export type AboutWorker = z.output<typeof aboutWorker>
export type ClaimInput = z.input<typeof claimInput>
export type CompleteInput = z.input<typeof completeInput>
export type FailInput = z.input<typeof failInput>
export type ReleaseInput = z.input<typeof releaseInput>
export type SettleInput = z.input<typeof settleInput>
export type ExchangeInput = z.input<typeof exchangeInput>
export type HeartbeatInput = z.input<typeof heartbeatInput>
export type HoldersInput = z.input<typeof holdersInput>
export type ProgressInput = z.input<typeof progressInput>
export type LogInput = z.input<typeof logInput>

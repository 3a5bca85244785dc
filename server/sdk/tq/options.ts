/** Validates the options of `tq` and maps them to queue settings. */
import { z } from 'zod'
import { workerVersion } from '../../../shared/contracts/fields.ts'
import { type GroupSettings, groupSettingsSchema } from '../../../shared/contracts/groups.ts'
import { type EnqueueInput, enqueueInput } from '../../../shared/contracts/produce.ts'
import { scheduleName } from '../../../shared/contracts/schedule-fields.ts'
import { type ScheduleCreateInput, scheduleCreateInput } from '../../../shared/contracts/schedules.ts'
import { QueueError } from '../../../shared/errors.ts'
import { encodePayload } from '../../../shared/json/text.ts'
import { refuseUnknownKeys } from '../../../shared/json/unknown-keys.ts'
import { limits, SECOND } from '../../../shared/limits.ts'
import { parseInput } from '../../../shared/verbs/parse-input.ts'
import { type Clock, systemClock } from '../../base/clock.ts'
import { WORKER_VERSION } from '../../base/version.ts'
import { guarded, warnOf } from '../../engine/callbacks.ts'
import type { WorkerEvent } from '../../worker/events.ts'
import type { JobGroup } from '../jobs/definition.ts'
import { declaredGroup } from '../jobs/group-definition.ts'
import type { EnqueueOptions, ScheduleOptions, TqOptions } from './tq-interface.ts'

const seconds = z
  .number()
  .min(limits.timeoutMs.min / SECOND)
  .max(limits.timeoutMs.max / SECOND)
const workerCount = z.int().min(1).max(limits.concurrency)
const perSecond = z.number().min(limits.rate.min).max(limits.rate.max)
const attempts = z.int().min(1).max(limits.attempts)
const optionsSchema = z.object({
  pollInterval: z.number().min(10).default(SECOND),
  batchSize: workerCount.default(10),
  taskTimeout: seconds.default(300),
  version: workerVersion.default(WORKER_VERSION),
  owner: scheduleName.default('tq'),
})

export interface Settings {
  /** How long one call waits for a job. */
  readonly waitMs: number
  /** Interval of the check for jobs without a worker. */
  readonly unhandledCheckMs: number
  readonly workerCount: number
  readonly timeoutMs: number
  readonly version: string
  /** Owner of the schedules. */
  readonly owner: string
  readonly clock: Clock
  readonly onError: (error: unknown) => void
  readonly onWarning: (message: string) => void
  readonly onEvent: (event: WorkerEvent) => void
}

const OPTIONS = [
  ...['db', 'url', 'token', 'pollInterval', 'batchSize', 'taskTimeout', 'version', 'owner', 'clock'],
  ...['onError', 'onWarning', 'onEvent'],
]

export function readOptions(options: TqOptions): Settings {
  refuseUnknownKeys(options, OPTIONS, 'tq')
  const { pollInterval, batchSize, taskTimeout, version, owner } = parseInput(optionsSchema, options)
  return {
    waitMs: Math.min(limits.waitMs, Math.round(pollInterval)),
    unhandledCheckMs: 10 * pollInterval,
    workerCount: batchSize,
    timeoutMs: toMs(taskTimeout),
    version,
    owner,
    clock: options.clock ?? systemClock,
    onError: options.onError ? guarded('onError', options.onError) : warnOf,
    onWarning: options.onWarning ? guarded('onWarning', options.onWarning) : warnOf,
    onEvent: options.onEvent ?? (() => {}),
  }
}

export const readWorkerCount = (count: number) => parseInput(workerCount, count, 'setWorkerCount')
export const readRate = (rate: number) => parseInput(perSecond, rate, 'setRateLimit')
export const readTimeoutMs = (timeout: number) => toMs(parseInput(seconds, timeout, 'setTimeout'))
export const readGroup = (group: JobGroup<never>): GroupSettings =>
  parseInput(groupSettingsSchema, declaredGroup(group), 'setGroup')
export const readMaxAttempts = (count: number) => parseInput(attempts, count, 'setMaxAttempts')

/** Copies the payload, so that later changes of the object have no effect. */
export function toInput(type: string, payload: unknown, { run_after, ...options }: EnqueueOptions): EnqueueInput {
  const input = { ...options, type, face: 'tq', ...(run_after === undefined ? {} : { runAt: runAtOf(run_after) }) }
  if (run_after !== undefined && options.runAt !== undefined) {
    throw new QueueError('BAD_INPUT', 'run_after and runAt are both set; pass only one of them')
  }
  parseInput(enqueueInput, { ...input, payload: null })
  return { ...input, payload: JSON.parse(encodePayload(payload, Number.POSITIVE_INFINITY)) }
}

/** Copies the payload, as `toInput` does. */
export function toSchedule(
  name: string,
  type: string,
  { payload = null, ...options }: ScheduleOptions,
): ScheduleCreateInput {
  parseInput(scheduleCreateInput, { ...options, name, type, payload: null })
  return { ...options, name, type, payload: JSON.parse(encodePayload(payload, Number.POSITIVE_INFINITY)) }
}

function runAtOf(after: Date | number): number {
  const at = after instanceof Date ? after.getTime() : after * SECOND
  if (Number.isNaN(at)) throw new QueueError('BAD_INPUT', 'run_after is not a date')
  if (typeof after === 'number' && at > limits.instant) {
    throw new QueueError(
      'BAD_INPUT',
      `run_after is in seconds, but ${after} looks like milliseconds; divide it by 1,000`,
    )
  }
  return Math.round(at)
}

function toMs(inSeconds: number): number {
  return Math.round(inSeconds * SECOND)
}

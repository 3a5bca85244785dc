/** Typed methods of one job: `enqueue`, `enqueueMany`, `enqueueTx`, `job`. */

import type { EnqueueInput } from '../../../shared/contracts/produce.ts'
import { QueueError } from '../../../shared/errors.ts'
import { currentHandler } from '../../../shared/handler-waits.ts'
import type { HostTransaction, PostgresTransaction, SqliteTransaction } from '../../../shared/host-transaction.ts'
import type { ActionResult, EnqueueResult } from '../../../shared/job.ts'
import { refuseUnknownKeys } from '../../../shared/json/unknown-keys.ts'
import { limits } from '../../../shared/limits.ts'
import type { Queue, Transactional } from '../../../shared/queue.ts'
import type { Status } from '../../../shared/status.ts'
import type { JobDefinition, ParsedResultOf, PayloadOf } from './definition.ts'
import { computedKey, type GroupKeyOf } from './group-key.ts'
import { JobNotCompleted } from './job-not-completed.ts'
import type { JobResults, WaitOptions } from './job-results.ts'
import { parsePart } from './standard-schema.ts'
import { type PreparedPayload, storedPayload, storedPayloadSync } from './stored-payload.ts'

/** Options of one job. */
export type EnqueueOptions = Omit<EnqueueInput, 'type' | 'payload' | 'kind' | 'face'>

/** Options for all jobs of a call, or a function that returns the options of each job, such as its `dedupeKey`. */
export type EnqueueManyOptions<Payload> =
  | Omit<EnqueueOptions, 'dedupeKey' | 'dedupeUntil'>
  | ((payload: Payload, index: number) => EnqueueOptions)

/** A reference to a job. */
export interface JobHandle<Result> {
  /** The id of the job. */
  readonly id: string
  /** Resolves when the job completes. Rejects with `JobNotCompleted`, or with `ResultTimeout` after `timeoutMs`. */
  result(options?: WaitOptions): Promise<Result>
  /** The current status. Rejects with NOT_FOUND when the job was removed. Over HTTP it needs the scope `read`. */
  status(): Promise<Status>
  /** Cancels the job; the signal of a running handler is aborted. Over HTTP it needs the scope `admin`. */
  cancel(): Promise<ActionResult>
}

/** An enqueued job. `result` may be called any number of times. */
export interface EnqueuedJob<Result> extends JobHandle<Result> {
  /** true: a job with the same `dedupeKey` existed, and this is its handle. */
  readonly deduplicated: boolean
}

type EnqueuedOf<Definition extends JobDefinition> = EnqueuedJob<ParsedResultOf<Definition>>
type EnqueuedManyOf<Definition extends JobDefinition> = readonly EnqueuedJob<ParsedResultOf<Definition>>[]
type MaybePromise<Value> = Value | Promise<Value>

/** A payload that may be undefined is optional. */
type Arguments<Payload> = undefined extends Payload
  ? [payload?: Payload, options?: EnqueueOptions]
  : [payload: Payload, options?: EnqueueOptions]

/** Methods of one typed job. */
export interface TypedQueue<Definition extends JobDefinition> {
  /** Stores a job. */
  enqueue(...job: Arguments<PayloadOf<Definition>>): Promise<EnqueuedOf<Definition>>
  /** Stores up to 1,000 jobs, all or none. */
  enqueueMany(
    payloads: readonly PayloadOf<Definition>[],
    options?: EnqueueManyOptions<PayloadOf<Definition>>,
  ): Promise<EnqueuedManyOf<Definition>>
  /** The handle of an existing job, which another process may have enqueued. */
  job(id: string): JobHandle<ParsedResultOf<Definition>>
}

/** Methods of one typed job on an embedded queue, in the same database as your tables. */
export interface TransactionalTypedQueue<Definition extends JobDefinition> extends TypedQueue<Definition> {
  /** Stores a job as part of the transaction `tx`: synchronously on SQLite, with a promise on PostgreSQL. */
  enqueueTx(tx: SqliteTransaction, ...job: Arguments<PayloadOf<Definition>>): EnqueuedOf<Definition>
  enqueueTx(tx: PostgresTransaction, ...job: Arguments<PayloadOf<Definition>>): Promise<EnqueuedOf<Definition>>
  enqueueTx(tx: HostTransaction, ...job: Arguments<PayloadOf<Definition>>): MaybePromise<EnqueuedOf<Definition>>
  /** Stores up to 1,000 jobs as part of the transaction `tx`, all or none. They commit or roll back with `tx`. */
  enqueueManyTx(
    tx: SqliteTransaction,
    payloads: readonly PayloadOf<Definition>[],
    options?: EnqueueManyOptions<PayloadOf<Definition>>,
  ): EnqueuedManyOf<Definition>
  enqueueManyTx(
    tx: PostgresTransaction,
    payloads: readonly PayloadOf<Definition>[],
    options?: EnqueueManyOptions<PayloadOf<Definition>>,
  ): Promise<EnqueuedManyOf<Definition>>
  enqueueManyTx(
    tx: HostTransaction,
    payloads: readonly PayloadOf<Definition>[],
    options?: EnqueueManyOptions<PayloadOf<Definition>>,
  ): MaybePromise<EnqueuedManyOf<Definition>>
}

export interface CreateTypedOptions {
  /** The name of the definition. */
  readonly name: string
  /** The job type in the queue. */
  readonly type: string
  /** Undefined: payloads and results are checked only at compile time. */
  readonly definition: JobDefinition | undefined
  /** The group key of its jobs; a JSON pointer is read by the queue. */
  readonly key: string | GroupKeyOf<never> | undefined
  readonly queue: Queue
  readonly results: JobResults
}

type UntypedJob = EnqueuedJob<unknown>

export function createTyped(context: CreateTypedOptions) {
  const { name, type, definition, key, queue, results } = context
  const inputOf = ({ stored, parsed }: PreparedPayload, options: EnqueueOptions): EnqueueInput => {
    const group = options.group ?? (typeof key === 'function' ? computedKey(key, parsed, name) : undefined)
    return { ...options, type, payload: stored, group }
  }
  const unchecked = (payload: unknown): PreparedPayload => ({ stored: payload ?? null, parsed: payload })
  const prepare = (payload: unknown, options: EnqueueOptions, what: string): EnqueueInput | Promise<EnqueueInput> => {
    const stored = definition ? storedPayload(definition.payload, payload, what) : unchecked(payload)
    return stored instanceof Promise ? stored.then((entry) => inputOf(entry, options)) : inputOf(stored, options)
  }
  const prepareSync = (payload: unknown, options: EnqueueOptions, what: string): EnqueueInput =>
    inputOf(definition ? storedPayloadSync(definition.payload, payload, what) : unchecked(payload), options)

  const result = async (id: string, options: WaitOptions = {}) => {
    refuseUnknownKeys(options, ['timeoutMs', 'signal'], 'result')
    const endWait = currentHandler()?.waitFor(type)
    const outcome = await results.wait(id, options).finally(endWait)
    if (outcome.status !== 'completed') throw new JobNotCompleted(outcome)
    if (!definition?.result) return outcome.result
    return await parsePart(definition.result, outcome.result, `The result of ${name} ${id}`)
  }
  const job = (id: string): JobHandle<unknown> => ({
    id,
    result: (options) => result(id, options),
    status: async () => (await queue.get({ id })).status,
    cancel: () => queue.cancel({ id }),
  })
  const handle = ({ id, deduplicated }: EnqueueResult): UntypedJob => ({ ...job(id), deduplicated })
  const handles = (stored: readonly EnqueueResult[]) => stored.map(handle)

  return {
    async enqueue(payload?: unknown, options: EnqueueOptions = {}): Promise<UntypedJob> {
      const input = prepare(payload, options, `The payload of ${name}`)
      // Without asynchronous checks the payload is sent in this turn, before the caller can change it.
      return handle(await queue.enqueue(input instanceof Promise ? await input : input))
    },
    async enqueueMany(
      payloads: readonly unknown[],
      options: EnqueueManyOptions<unknown> = {},
    ): Promise<readonly UntypedJob[]> {
      if (payloads.length === 0) return []
      const prepared = withOptions(payloads, options).map((entry, index) =>
        prepare(entry.payload, entry.options, `Payload ${index} of ${name}`),
      )
      const jobs = prepared.every(isReady) ? prepared : await Promise.all(prepared)
      return handles(await queue.enqueueMany({ jobs }))
    },
    enqueueTx(tx: HostTransaction, payload?: unknown, options: EnqueueOptions = {}): MaybePromise<UntypedJob> {
      const stored = transactional(queue).enqueueTx(tx, prepareSync(payload, options, `The payload of ${name}`))
      return stored instanceof Promise ? stored.then(handle) : handle(stored)
    },
    enqueueManyTx(
      tx: HostTransaction,
      payloads: readonly unknown[],
      options: EnqueueManyOptions<unknown> = {},
    ): MaybePromise<readonly UntypedJob[]> {
      const jobs = withOptions(payloads, options).map((entry, index) =>
        prepareSync(entry.payload, entry.options, `Payload ${index} of ${name}`),
      )
      const stored = transactional(queue).enqueueManyTx(tx, { jobs })
      return stored instanceof Promise ? stored.then(handles) : handles(stored)
    },
    job,
  }
}

function isReady(input: EnqueueInput | Promise<EnqueueInput>): input is EnqueueInput {
  return !(input instanceof Promise)
}

function withOptions(payloads: readonly unknown[], options: EnqueueManyOptions<unknown>) {
  if (payloads.length > limits.enqueueMany) {
    throw new QueueError(
      'TOO_LARGE',
      `${payloads.length} jobs in one call; the limit is ${limits.enqueueMany}. Split them into several calls.`,
    )
  }
  if (typeof options === 'function') {
    return payloads.map((payload, index) => ({ payload, options: options(payload, index) }))
  }
  if ('dedupeKey' in options && options.dedupeKey !== undefined) {
    throw new QueueError(
      'BAD_INPUT',
      'One dedupeKey for several jobs would store only the first; give each job its own: enqueueMany(payloads, (payload) => ({ dedupeKey: … })).',
    )
  }
  return payloads.map((payload) => ({ payload, options }))
}

function transactional(queue: Queue): Transactional {
  if (isTransactional(queue)) return queue
  throw new QueueError(
    'UNSUPPORTED',
    'enqueueTx needs an embedded queue on the database of the transaction: createClient({ queue: await openEngine({ url }) }).',
  )
}

function isTransactional(queue: Queue): queue is Queue & Transactional {
  return 'enqueueTx' in queue
}

/** The verbs of one typed job: enqueue in its several forms, and the handle of each job. */
import type { EnqueueInput } from '../../../shared/contracts/produce.ts'
import { QueueError } from '../../../shared/errors.ts'
import { currentHandler } from '../../../shared/handler-waits.ts'
import type { ActResult, EnqueueResult } from '../../../shared/job.ts'
import { limits } from '../../../shared/limits.ts'
import type { Status } from '../../../shared/status.ts'
import { refuseUnknownKeys } from '../../../shared/unknown-keys.ts'
import type {
  HostTransaction,
  PostgresTransaction,
  Queue,
  SqliteTransaction,
  Transactional,
} from '../../queue/queue.ts'
import type { JobDefinition, ParsedResultOf, PayloadOf } from './definition.ts'
import { JobNotCompleted } from './job-not-completed.ts'
import type { JobResults, WaitOptions } from './job-results.ts'
import { parsePart } from './standard-schema.ts'
import { storedPayload, storedPayloadNow } from './stored-payload.ts'

/** Options of one job. */
export type EnqueueOptions = Omit<EnqueueInput, 'type' | 'payload' | 'kind' | 'face'>

/** Options of all jobs of a call, or a function that gives each job its own, such as a `dedupeKey`. */
export type EnqueueManyOptions<Payload> =
  | Omit<EnqueueOptions, 'dedupeKey' | 'dedupeUntil'>
  | ((payload: Payload, index: number) => EnqueueOptions)

/** A job by its id. */
export interface JobHandle<Result> {
  /** The id of the job. */
  readonly id: string
  /** Resolves when the job completes; rejects with JobNotCompleted, or ResultTimeout when you no longer want to wait. */
  result(options?: WaitOptions): Promise<Result>
  /** The status of the job now; rejects with NOT_FOUND when it has been removed. Over HTTP it needs the scope `read`. */
  status(): Promise<Status>
  /** Cancels the job; the handler of a running one gets an aborted signal. Over HTTP it needs the scope `admin`. */
  cancel(): Promise<ActResult>
}

/** An enqueued job; `result` may be asked for as often as you like, now or later. */
export interface EnqueuedJob<Result> extends JobHandle<Result> {
  /** A job with the same `dedupeKey` was there already: this is that one. */
  readonly deduplicated: boolean
}

type One<Definition extends JobDefinition> = EnqueuedJob<ParsedResultOf<Definition>>
type Many<Definition extends JobDefinition> = readonly EnqueuedJob<ParsedResultOf<Definition>>[]
type Soon<Value> = Value | Promise<Value>

/** A payload that may be undefined may be left out. */
type Arguments<Payload> = undefined extends Payload
  ? [payload?: Payload, options?: EnqueueOptions]
  : [payload: Payload, options?: EnqueueOptions]

/** The verbs of one typed job. */
export interface TypedQueue<Definition extends JobDefinition> {
  /** Stores a job. */
  enqueue(...job: Arguments<PayloadOf<Definition>>): Promise<One<Definition>>
  /** Stores up to 1,000 jobs, all of them or none. */
  enqueueMany(
    payloads: readonly PayloadOf<Definition>[],
    options?: EnqueueManyOptions<PayloadOf<Definition>>,
  ): Promise<Many<Definition>>
  /** The handle of a job enqueued earlier, perhaps by another process. */
  job(id: string): JobHandle<ParsedResultOf<Definition>>
}

/** On a queue in this process, in the same database as your own tables. */
export interface TransactionalTypedQueue<Definition extends JobDefinition> extends TypedQueue<Definition> {
  /** Stores a job as part of `tx`: at once on SQLite, where a transaction cannot wait; a promise on PostgreSQL. */
  enqueueTx(tx: SqliteTransaction, ...job: Arguments<PayloadOf<Definition>>): One<Definition>
  enqueueTx(tx: PostgresTransaction, ...job: Arguments<PayloadOf<Definition>>): Promise<One<Definition>>
  enqueueTx(tx: HostTransaction, ...job: Arguments<PayloadOf<Definition>>): Soon<One<Definition>>
  /** Stores up to 1,000 jobs as part of `tx`: all of them or none, and then `tx` decides. */
  enqueueManyTx(
    tx: SqliteTransaction,
    payloads: readonly PayloadOf<Definition>[],
    options?: EnqueueManyOptions<PayloadOf<Definition>>,
  ): Many<Definition>
  enqueueManyTx(
    tx: PostgresTransaction,
    payloads: readonly PayloadOf<Definition>[],
    options?: EnqueueManyOptions<PayloadOf<Definition>>,
  ): Promise<Many<Definition>>
  enqueueManyTx(
    tx: HostTransaction,
    payloads: readonly PayloadOf<Definition>[],
    options?: EnqueueManyOptions<PayloadOf<Definition>>,
  ): Soon<Many<Definition>>
}

export interface TypedParts {
  /** Of the definition. */
  readonly name: string
  /** In the queue. */
  readonly type: string
  /** Undefined: the compiler alone checks payloads and results. */
  readonly definition: JobDefinition | undefined
  readonly queue: Queue
  readonly results: JobResults
}

type Untyped = EnqueuedJob<unknown>

export function createTyped(parts: TypedParts) {
  const { name, type, definition, queue, results } = parts
  const inputOf = (payload: unknown, options: EnqueueOptions): EnqueueInput => ({ ...options, type, payload })
  const prepare = (payload: unknown, options: EnqueueOptions, what: string): EnqueueInput | Promise<EnqueueInput> => {
    const stored = definition ? storedPayload(definition.payload, payload, what) : (payload ?? null)
    return stored instanceof Promise ? stored.then((one) => inputOf(one, options)) : inputOf(stored, options)
  }
  const prepareNow = (payload: unknown, options: EnqueueOptions, what: string): EnqueueInput =>
    inputOf(definition ? storedPayloadNow(definition.payload, payload, what) : (payload ?? null), options)

  const result = async (id: string, options: WaitOptions = {}) => {
    refuseUnknownKeys(options, ['timeoutMs', 'signal'], 'result')
    const leave = currentHandler()?.waitFor(type)
    const outcome = await results.wait(id, options).finally(leave)
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
  const handle = ({ id, deduplicated }: EnqueueResult): Untyped => ({ ...job(id), deduplicated })
  const handles = (all: readonly EnqueueResult[]) => all.map(handle)

  return {
    async enqueue(payload?: unknown, options: EnqueueOptions = {}): Promise<Untyped> {
      const input = prepare(payload, options, `The payload of ${name}`)
      // Without asynchronous checks it is sent in this turn, as it is now.
      return handle(await queue.enqueue(input instanceof Promise ? await input : input))
    },
    async enqueueMany(
      payloads: readonly unknown[],
      options: EnqueueManyOptions<unknown> = {},
    ): Promise<readonly Untyped[]> {
      if (payloads.length === 0) return []
      const prepared = eachOf(payloads, options).map((one, index) =>
        prepare(one.payload, one.options, `Payload ${index} of ${name}`),
      )
      const jobs = prepared.every(isReady) ? prepared : await Promise.all(prepared)
      return handles(await queue.enqueueMany({ jobs }))
    },
    enqueueTx(tx: HostTransaction, payload?: unknown, options: EnqueueOptions = {}): Soon<Untyped> {
      const stored = inTransactions(queue).enqueueTx(tx, prepareNow(payload, options, `The payload of ${name}`))
      return stored instanceof Promise ? stored.then(handle) : handle(stored)
    },
    enqueueManyTx(
      tx: HostTransaction,
      payloads: readonly unknown[],
      options: EnqueueManyOptions<unknown> = {},
    ): Soon<readonly Untyped[]> {
      const jobs = eachOf(payloads, options).map((one, index) =>
        prepareNow(one.payload, one.options, `Payload ${index} of ${name}`),
      )
      const stored = inTransactions(queue).enqueueManyTx(tx, { jobs })
      return stored instanceof Promise ? stored.then(handles) : handles(stored)
    },
    job,
  }
}

function isReady(input: EnqueueInput | Promise<EnqueueInput>): input is EnqueueInput {
  return !(input instanceof Promise)
}

function eachOf(payloads: readonly unknown[], options: EnqueueManyOptions<unknown>) {
  if (payloads.length > limits.enqueueMany) {
    throw new QueueError('TOO_LARGE', `${payloads.length} jobs at once, more than ${limits.enqueueMany}; split them.`)
  }
  if (typeof options === 'function') {
    return payloads.map((payload, index) => ({ payload, options: options(payload, index) }))
  }
  if ('dedupeKey' in options && options.dedupeKey !== undefined) {
    throw new QueueError(
      'BAD_INPUT',
      'One dedupeKey for several jobs would store only the first; give each its own: enqueueMany(payloads, (payload) => ({ dedupeKey: … })).',
    )
  }
  return payloads.map((payload) => ({ payload, options }))
}

function inTransactions(queue: Queue): Transactional {
  if (isTransactional(queue)) return queue
  throw new QueueError(
    'UNSUPPORTED',
    'enqueueTx needs a queue in this process, on the database of the transaction: createClient({ queue: await openEngine({ url }) }).',
  )
}

function isTransactional(queue: Queue): queue is Queue & Transactional {
  return 'enqueueTx' in queue
}

/** The typed client of producers: `queue.sendEmail.enqueue({ … })`, and the result of each job as a typed promise. */
import type { EnqueueInput } from '../../shared/contracts/produce.ts'
import { QueueError } from '../../shared/errors.ts'
import type { EnqueueResult } from '../../shared/job.ts'
import { limits } from '../../shared/limits.ts'
import { type Clock, systemClock } from '../clock.ts'
import type { JobOutcome, Queue } from '../queue/queue.ts'
import { openRemoteQueue } from '../queue/remote-queue.ts'
import { type JobDefinition, type JobDefinitions, type ParsedResultOf, type PayloadOf, typeOf } from './definition.ts'
import { JobResults, type WaitOptions } from './job-results.ts'
import { parsePart } from './schema.ts'

export type EnqueueOptions = Omit<EnqueueInput, 'type' | 'payload' | 'kind' | 'face'>

/** An enqueued job; `result` may be asked for as often as you like, now or later. */
export interface EnqueuedJob<Result> extends EnqueueResult {
  /** Resolves when the job completes; rejects with JobNotCompleted, or ResultTimeout when you no longer want to wait. */
  result(options?: WaitOptions): Promise<Result>
}

export interface TypedQueue<Definition extends JobDefinition> {
  enqueue(payload: PayloadOf<Definition>, options?: EnqueueOptions): Promise<EnqueuedJob<ParsedResultOf<Definition>>>
  /** All of them or none, up to 1,000. */
  enqueueMany(
    payloads: readonly PayloadOf<Definition>[],
    options?: EnqueueOptions,
  ): Promise<readonly EnqueuedJob<ParsedResultOf<Definition>>[]>
  /** The handle of a job enqueued earlier, perhaps by another process. */
  job(id: string): { readonly id: string; result(options?: WaitOptions): Promise<ParsedResultOf<Definition>> }
}

export type Client<Definitions extends JobDefinitions> = {
  readonly [Name in keyof Definitions]: TypedQueue<Definitions[Name]>
} & {
  /** The queue itself, with all its verbs. */
  readonly $queue: Queue
  /** Whoever still waits for a result hears of it. */
  $close(): Promise<void>
}

export type ClientOptions<Definitions extends JobDefinitions> = {
  /** Given, payloads are checked before they are sent; left out, by the compiler alone. */
  readonly jobs?: Definitions
  readonly clock?: Clock
} & (
  | {
      /** Of a server. */
      readonly url: string
      readonly token?: string | undefined
    }
  /** From openQueue, for a queue on a file or on PostgreSQL. */
  | { readonly queue: Queue }
)

/** A job that will not complete: it failed for good, was cancelled, or is gone. */
export class JobNotCompleted extends Error {
  override readonly name = 'JobNotCompleted'
  readonly id: string
  readonly status: Exclude<JobOutcome['status'], 'completed'>

  constructor(outcome: Exclude<JobOutcome, { status: 'completed' }>) {
    const reason = outcome.status === 'missing' ? 'there is no such job; it may have been removed' : outcome.error
    super(`Job ${outcome.id} did not complete (${outcome.status}): ${reason ?? 'no reason was given'}`)
    this.id = outcome.id
    this.status = outcome.status
  }
}

/** A client for producers. In browsers and edge runtimes import it from `millrace/client`. */
export function createClient<Definitions extends JobDefinitions>(
  options: ClientOptions<Definitions>,
): Client<Definitions> {
  const { jobs, clock = systemClock } = options
  const queue = 'queue' in options ? options.queue : openServer(options.url, options.token)
  const results = new JobResults(queue, clock)
  const own = {
    $queue: queue,
    $close: () => {
      results.close()
      return queue.close()
    },
  }
  const typed = new Map<string, TypedQueue<JobDefinition>>()
  const find = (name: string) => {
    if (jobs && !Object.hasOwn(jobs, name)) return undefined
    const known = typed.get(name) ?? createTyped(name, jobs?.[name], queue, results)
    typed.set(name, known)
    return known
  }
  const client = new Proxy(own, {
    // A client is no promise, though `await` asks everything whether it is.
    get: (target, key) =>
      typeof key === 'symbol' || key in target || key === 'then' ? Reflect.get(target, key) : find(key),
  })
  // The names of a definition and the properties found here are the same by construction; no type can say so of a Proxy.
  return client as unknown as Client<Definitions>
}

function createTyped(
  name: string,
  definition: JobDefinition | undefined,
  queue: Queue,
  results: JobResults,
): TypedQueue<JobDefinition> {
  const type = typeOf(name, definition)
  const prepare = (payload: unknown, options: EnqueueOptions, what: string): EnqueueInput | Promise<EnqueueInput> => {
    const input = { ...options, type, payload }
    const parsed = definition && parsePart(definition.payload, payload, what)
    return parsed instanceof Promise ? parsed.then(() => input) : input
  }
  const result = async (id: string, options: WaitOptions = {}) => {
    const outcome = await results.wait(id, options)
    if (outcome.status !== 'completed') throw new JobNotCompleted(outcome)
    if (!definition?.result) return outcome.result
    return await parsePart(definition.result, outcome.result, `The result of ${name} ${id}`)
  }
  const handle = (enqueued: EnqueueResult) => ({
    ...enqueued,
    result: (options?: WaitOptions) => result(enqueued.id, options),
  })
  return {
    async enqueue(payload, options = {}) {
      const input = prepare(payload, options, `The payload of ${name}`)
      // Without asynchronous checks it is sent in this turn, as it is now.
      return handle(await queue.enqueue(input instanceof Promise ? await input : input))
    },
    async enqueueMany(payloads, options = {}) {
      if (payloads.length === 0) return []
      if (payloads.length > limits.enqueueMany) {
        throw new QueueError(
          'TOO_LARGE',
          `${payloads.length} jobs at once, more than ${limits.enqueueMany}; split them.`,
        )
      }
      const prepared = payloads.map((payload, index) => prepare(payload, options, `Payload ${index} of ${name}`))
      const isReady = (input: EnqueueInput | Promise<EnqueueInput>): input is EnqueueInput =>
        !(input instanceof Promise)
      const jobs = prepared.every(isReady) ? prepared : await Promise.all(prepared)
      return (await queue.enqueueMany({ jobs })).map(handle)
    },
    job: (id) => ({ id, result: (options) => result(id, options) }),
  }
}

function openServer(url: string, token: string | undefined): Queue {
  if (/^https?:/.test(url)) return openRemoteQueue({ url, token })
  throw new QueueError(
    'BAD_INPUT',
    'A client by url is one of a server (http://…); for a file or PostgreSQL give { queue: await openQueue(url) }.',
  )
}

/** The typed client of producers: `queue.sendEmail.enqueue({ … })`, and the result of each job as a typed promise. */
import { QueueError } from '../../shared/errors.ts'
import { expectHandlerWaits } from '../../shared/handler-waits.ts'
import { refuseUnknownKeys } from '../../shared/unknown-keys.ts'
import { type Clock, systemClock } from '../base/clock.ts'
import type { Queue, Transactional } from '../queue/queue.ts'
import { type JobDefinitions, typeOf } from './jobs/definition.ts'
import { JobResults } from './jobs/job-results.ts'
import { createTyped, type TransactionalTypedQueue, type TypedQueue } from './jobs/typed-queue.ts'
import { openRemoteQueue } from './remote/remote-queue.ts'

interface ClientVerbs {
  /** The queue itself, with all its verbs. */
  readonly $queue: Queue
  /** Closes the queue; results that are still waited for are rejected with CLOSED. */
  $close(): Promise<void>
}

/** The client of a queue: a property for each definition, and `$queue` and `$close`. */
export type Client<Definitions extends JobDefinitions> = {
  readonly [Name in keyof Definitions]: TypedQueue<Definitions[Name]>
} & ClientVerbs

/** The client of a queue in this process, which can also enqueue inside transactions of the application. */
export type TransactionalClient<Definitions extends JobDefinitions> = {
  readonly [Name in keyof Definitions]: TransactionalTypedQueue<Definitions[Name]>
} & ClientVerbs

/** The definitions whose `type` in the queue is not their own name, with that type. */
type RenamedTypes<Definitions extends JobDefinitions> = {
  readonly [Name in keyof Definitions as Definitions[Name] extends { readonly type: infer Type extends string }
    ? Type extends Name
      ? never
      : Name
    : never]: Definitions[Name] extends { readonly type: infer Type } ? Type : never
}

/** Definitions are either there at run time, or only their types are; then the names in the queue must be given. */
export type ClientJobs<Definitions extends JobDefinitions> =
  | {
      /** Given, payloads and results are checked, and the payload is stored as parsed, with its defaults. */
      readonly jobs: Definitions
      readonly types?: undefined
    }
  | ({ readonly jobs?: undefined } & (keyof RenamedTypes<Definitions> extends never
      ? { readonly types?: undefined }
      : {
          /** The names in the queue of definitions that have a `type`: a client without `jobs` cannot know them. */
          readonly types: RenamedTypes<Definitions>
        }))

interface CommonOptions {
  /** Where time comes from; default: the system's clock. */
  readonly clock?: Clock
}

interface OfServer {
  /** The address of a server, such as `http://127.0.0.1:3000`. */
  readonly url: string
  /** For a server that asks for one. */
  readonly token?: string | undefined
}

interface OfQueue<Given extends Queue> {
  /** From openQueue or openEngine, for a queue on a file or on PostgreSQL. */
  readonly queue: Given
}

/** Where the queue is, and which jobs it has. */
export type ClientOptions<Definitions extends JobDefinitions> = CommonOptions &
  ClientJobs<Definitions> &
  (OfServer | OfQueue<Queue>)

/** A queue of this process, and which jobs it has. */
export type TransactionalClientOptions<Definitions extends JobDefinitions> = CommonOptions &
  ClientJobs<Definitions> &
  OfQueue<Queue & Transactional>

const OPTIONS = ['url', 'token', 'queue', 'jobs', 'types', 'clock']

/** A client for producers. In browsers and edge runtimes import it from `millrace/client`. */
export function createClient<Definitions extends JobDefinitions>(
  options: TransactionalClientOptions<Definitions>,
): TransactionalClient<Definitions>
export function createClient<Definitions extends JobDefinitions>(
  options: ClientOptions<Definitions>,
): Client<Definitions>
export function createClient<Definitions extends JobDefinitions>(
  options: ClientOptions<Definitions>,
): Client<Definitions> {
  refuseUnknownKeys(options, OPTIONS, 'A client')
  const { jobs, clock = systemClock } = options
  const types: Readonly<Record<string, unknown>> = options.types ?? {}
  const queue = queueOf(options)
  expectHandlerWaits()
  const results = new JobResults(queue, clock)
  const own = {
    $queue: queue,
    $close: () => {
      results.close()
      return queue.close()
    },
  }
  const typed = new Map<string, ReturnType<typeof createTyped>>()
  const find = (name: string) => {
    if (jobs && !Object.hasOwn(jobs, name)) return undefined
    const definition = jobs?.[name]
    const type = jobs || !Object.hasOwn(types, name) ? typeOf(name, definition) : String(types[name])
    const known = typed.get(name) ?? createTyped({ name, type, definition, queue, results })
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

/** An environment variable that is not set gives an address that is undefined, whatever the compiler was told. */
function queueOf(options: OfServer | OfQueue<Queue>): Queue {
  const { queue, url, token }: Partial<OfServer & OfQueue<Queue>> = options
  if (queue) return queue
  if (url) return openServer(url, token)
  const missing = 'queue' in options ? `queue is ${queue}` : `url is ${url === '' ? 'empty' : url}`
  throw new QueueError(
    'BAD_INPUT',
    `A client needs { url } or { queue }, and ${missing}; is the variable set that it comes from?`,
  )
}

function openServer(url: string, token: string | undefined): Queue {
  if (/^https?:/.test(url)) return openRemoteQueue({ url, token })
  throw new QueueError(
    'BAD_INPUT',
    'A client by url is one of a server (http://…); for a file or PostgreSQL give { queue: await openQueue(url) }.',
  )
}

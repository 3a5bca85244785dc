/** Typed client for producers: `client.sendEmail.enqueue({ … })`, with results as typed promises. */

import { QueueError } from '../../shared/errors.ts'
import { enableHandlerTracking } from '../../shared/handler-waits.ts'
import { refuseUnknownKeys } from '../../shared/json/unknown-keys.ts'
import type { Address, Queue, Transactional } from '../../shared/queue.ts'
import { type Clock, systemClock } from '../base/clock.ts'
import { type JobDefinitions, type PayloadOf, typeOf } from './jobs/definition.ts'
import type { GroupKeyOf } from './jobs/group-key.ts'
import { JobResults } from './jobs/job-results.ts'
import { createTyped, type TransactionalTypedQueue, type TypedQueue } from './jobs/typed-queue.ts'
import { openRemoteQueue } from './remote/remote-queue.ts'

interface ClientVerbs {
  /** The queue itself, with all its methods. */
  readonly $queue: Queue
  /** Closes the queue and rejects pending results with CLOSED. */
  $close(): Promise<void>
}

/** Client of a queue: one property per definition, plus `$queue` and `$close`. */
export type Client<Definitions extends JobDefinitions> = {
  readonly [Name in keyof Definitions]: TypedQueue<Definitions[Name]>
} & ClientVerbs

/** Client of an embedded queue, which can also enqueue inside transactions of the application. */
export type TransactionalClient<Definitions extends JobDefinitions> = {
  readonly [Name in keyof Definitions]: TransactionalTypedQueue<Definitions[Name]>
} & ClientVerbs

/** The definitions whose `type` differs from their name, with that type. */
type RenamedTypes<Definitions extends JobDefinitions> = {
  readonly [Name in keyof Definitions as Definitions[Name] extends { readonly type: infer Type extends string }
    ? Type extends Name
      ? never
      : Name
    : never]: Definitions[Name] extends { readonly type: infer Type } ? Type : never
}

/** The definitions whose group key is a function, with a function of the payload that producers pass. */
type KeyFunctions<Definitions extends JobDefinitions> = {
  readonly [Name in keyof Definitions as Definitions[Name] extends { readonly group: { readonly key: KeyFunction } }
    ? Name
    : never]: GroupKeyOf<PayloadOf<Definitions[Name]>>
}

type KeyFunction = GroupKeyOf<never>

/**
 * The definitions at run time, or only their TypeScript types. Then `types` must contain renamed job types, and `groups` the group keys
 * that the definitions compute with a function; a key that is a JSON pointer needs nothing.
 */
export type ClientJobs<Definitions extends JobDefinitions> =
  | {
      /** With definitions payloads and results are validated, and payloads are stored with their defaults. */
      readonly jobs: Definitions
      readonly types?: undefined
      readonly groups?: undefined
    }
  | ({ readonly jobs?: undefined } & (keyof RenamedTypes<Definitions> extends never
      ? { readonly types?: undefined }
      : {
          /** The job types of definitions that have a `type`; a client without `jobs` cannot know them. */
          readonly types: RenamedTypes<Definitions>
        }) &
      (keyof KeyFunctions<Definitions> extends never
        ? { readonly groups?: undefined }
        : {
            /** Group keys of definitions with a key function; a client without `jobs` cannot call those. */
            readonly groups: KeyFunctions<Definitions>
          }))

interface CommonOptions {
  /** Clock for timeouts; default: the system clock. */
  readonly clock?: Clock
}

interface ServerLocation {
  /** The address of a server, such as `http://127.0.0.1:3000`. */
  readonly url: string
  /** API token, for a server that requires one. */
  readonly token?: string | undefined
}

interface QueueLocation<GivenQueue extends Queue> {
  /** A queue from `openQueue` or `openEngine`, on a SQLite file or on PostgreSQL. */
  readonly queue: GivenQueue
}

/** Options of `createClient`: the queue and its jobs. */
export type ClientOptions<Definitions extends JobDefinitions> = CommonOptions &
  ClientJobs<Definitions> &
  (ServerLocation | QueueLocation<Queue>)

/** Options of `createClient` for an embedded queue. */
export type TransactionalClientOptions<Definitions extends JobDefinitions> = CommonOptions &
  ClientJobs<Definitions> &
  QueueLocation<Queue & Transactional>

const OPTIONS = ['url', 'token', 'queue', 'jobs', 'types', 'groups', 'clock']

/** Creates a client for producers. In browsers and edge runtimes import it from `millrace/client`. */
export function createClient<Definitions extends JobDefinitions>(
  options: TransactionalClientOptions<Definitions>,
): TransactionalClient<Definitions>
export function createClient<Definitions extends JobDefinitions>(
  options: ClientOptions<Definitions>,
): Client<Definitions>
export function createClient<Definitions extends JobDefinitions>(
  options: ClientOptions<Definitions>,
): Client<Definitions> {
  return buildClient(options, openRemoteQueue)
}

/** `open` opens the queue behind a server; `more`: further options, which the caller reads. */
export function buildClient<Definitions extends JobDefinitions>(
  options: ClientOptions<Definitions>,
  open: (address: Address) => Queue,
  more: readonly string[] = [],
): Client<Definitions> {
  refuseUnknownKeys(options, [...OPTIONS, ...more], 'A client')
  const { jobs, clock = systemClock } = options
  const types: Readonly<Record<string, unknown>> = options.types ?? {}
  const keys: Readonly<Record<string, KeyFunction | undefined>> = options.groups ?? {}
  const queue = queueOf(options, open)
  enableHandlerTracking()
  const results = new JobResults(queue, clock)
  const base = {
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
    const key = jobs ? definition?.group?.key : Object.hasOwn(keys, name) ? keys[name] : undefined
    const found = typed.get(name) ?? createTyped({ name, type, definition, key, queue, results })
    typed.set(name, found)
    return found
  }
  const client = new Proxy(base, {
    // `await` reads `then`; a client is not a promise.
    get: (target, key) =>
      typeof key === 'symbol' || key in target || key === 'then' ? Reflect.get(target, key) : find(key),
  })
  // The properties match the definitions by construction; TypeScript cannot express that for a Proxy.
  return client as unknown as Client<Definitions>
}

/** `url` may be undefined at run time, for example from an unset environment variable. */
function queueOf(options: ServerLocation | QueueLocation<Queue>, open: (address: Address) => Queue): Queue {
  const { queue, url, token }: Partial<ServerLocation & QueueLocation<Queue>> = options
  if (queue) return queue
  if (url) {
    if (/^https?:/.test(url)) return open({ url, token })
    throw new QueueError(
      'BAD_INPUT',
      'The url of a client must be that of a server (http://…); for a SQLite file or PostgreSQL pass { queue: await openQueue(url) }.',
    )
  }
  const missing = 'queue' in options ? `queue is ${queue}` : `url is ${url === '' ? 'empty' : url}`
  throw new QueueError(
    'BAD_INPUT',
    `A client needs { url } or { queue }, but ${missing}; check that its environment variable is set.`,
  )
}

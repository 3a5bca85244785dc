/** Client of the main entry: `createClient` plus `$declare`. */
import {
  buildClient,
  type Client,
  type ClientOptions,
  type TransactionalClient,
  type TransactionalClientOptions,
} from './create-client.ts'
import { declarationsOf, declareTypes } from './jobs/define-jobs.ts'
import type { JobDefinitions } from './jobs/definition.ts'
import { openServerQueue } from './node-http/server-queue.ts'
import { declareSchedules } from './schedules/declare-schedules.ts'
import type { Schedules } from './schedules/define-schedules.ts'

interface Declaring {
  /**
   * Declares the settings and JSON Schemas of these jobs, and the `schedules`, to the queue. Workers of `createWorker` declare theirs
   * automatically.
   */
  $declare(): Promise<void>
}

/** Client of a queue that can also declare the settings of its jobs. */
export type DeclaringClient<Definitions extends JobDefinitions> = Client<Definitions> & Declaring

interface Scheduling {
  /** Schedules from `defineSchedules`, which `$declare()` declares; default: none. */
  readonly schedules?: Schedules
}

/** Creates a client for producers. In browsers and edge runtimes import it from `millrace/client`, which is smaller. */
export function createClient<Definitions extends JobDefinitions>(
  options: TransactionalClientOptions<Definitions> & Scheduling,
): TransactionalClient<Definitions> & Declaring
export function createClient<Definitions extends JobDefinitions>(
  options: ClientOptions<Definitions> & Scheduling,
): DeclaringClient<Definitions>
export function createClient<Definitions extends JobDefinitions>(
  options: ClientOptions<Definitions> & Scheduling,
): DeclaringClient<Definitions> {
  const { schedules } = options
  const client = buildClient<Definitions>(options, openServerQueue, ['schedules'])
  const $declare = async () => {
    await declareTypes(client.$queue, declarationsOf(options.jobs ?? {}))
    if (schedules) await declareSchedules(client.$queue, schedules)
  }
  return Object.assign(client, { $declare })
}

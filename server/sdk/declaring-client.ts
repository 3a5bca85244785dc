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

interface Declaring {
  /** Declares the settings and JSON Schemas of these jobs to the queue. Workers of `createWorker` do so automatically. */
  $declare(): Promise<void>
}

/** Client of a queue that can also declare the settings of its jobs. */
export type DeclaringClient<Definitions extends JobDefinitions> = Client<Definitions> & Declaring

/** Creates a client for producers. In browsers and edge runtimes import it from `millrace/client`, which is smaller. */
export function createClient<Definitions extends JobDefinitions>(
  options: TransactionalClientOptions<Definitions>,
): TransactionalClient<Definitions> & Declaring
export function createClient<Definitions extends JobDefinitions>(
  options: ClientOptions<Definitions>,
): DeclaringClient<Definitions>
export function createClient<Definitions extends JobDefinitions>(
  options: ClientOptions<Definitions>,
): DeclaringClient<Definitions> {
  const client = buildClient(options, openServerQueue)
  const $declare = () => declareTypes(client.$queue, declarationsOf(options.jobs ?? {}))
  return Object.assign(client, { $declare })
}

/** Unknown options are rejected with a suggestion. */
import { expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { createWorker, type TypedWorkerOptions } from '../../../server/sdk/create-worker.ts'
import { createClient } from '../../../server/sdk/declaring-client.ts'
import type { JobDefinitions } from '../../../server/sdk/jobs/definition.ts'
import { openQueue } from '../../../server/sdk/open-queue.ts'
import { createTq } from '../../../server/sdk/tq/tq.ts'
import { refused } from '../../support/engine.ts'

it.each([
  [{ delay: 5 }, 'Unrecognized key: "delay"; did you mean delayMs?'],
  [{ prioritiy: 5 }, 'Unrecognized key: "prioritiy"; did you mean priority?'],
  [{ retries: 5 }, 'Unrecognized key: "retries"'],
  [{ concurrencyKey: 'a' }, 'Unrecognized key: "concurrencyKey"'],
])('enqueue rejects %o', async (options, reason) => {
  const queue = await openQueue('sqlite::memory:')
  const error = await refused(queue.enqueue({ type: 'mail', payload: 1, ...options }))
  await queue.close()
  expect([error.code, error.message]).toEqual(['BAD_INPUT', expect.stringContaining(reason)])
})

const given = (json: string) => JSON.parse(json)

it.each<[string, () => unknown, string]>([
  ['openQueue', () => openQueue('sqlite::memory:', given('{"durabilty":"normal"}')), 'did you mean durability?'],
  ['createTq', () => createTq(given('{"url":"sqlite::memory:","pollIntervall":5}')), 'did you mean pollInterval?'],
  ['createClient', () => createClient(given('{"url":"http://127.0.0.1:9","tokens":"a"}')), 'did you mean token?'],
  ['result', () => client().mail?.job('id').result(given('{"timeout":5}')), 'did you mean timeoutMs?'],
  ['createWorker', () => work(given('{"declar":false}')), 'did you mean declare?'],
  ['stop', () => work({}).stop(given('{"grace":5}')), 'did you mean graceMs?'],
])('%s rejects an unknown option', async (_, call, reason) => {
  const error = await refused(Promise.resolve().then(call))
  expect([error.code, error.message]).toEqual(['BAD_INPUT', expect.stringContaining(reason)])
})

function client() {
  return createClient<JobDefinitions>({ url: 'http://127.0.0.1:9' })
}

function work(options: TypedWorkerOptions) {
  const worker = createWorker(client(), { mail: { payload: z.string() } }, { mail: () => null }, options)
  worker.events.onAny(() => {})
  onTestFinished(() => worker.stop({ graceMs: 0 }))
  return worker
}

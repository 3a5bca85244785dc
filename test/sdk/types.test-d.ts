/** Type tests of typed jobs: correct programs compile, wrong ones do not. */
import type BetterSqlite from 'better-sqlite3'
import type { PoolClient } from 'pg'
import { expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import type { Engine } from '../../server/engine/engine.ts'
import type { Client } from '../../server/sdk/create-client.ts'
import { createWorker } from '../../server/sdk/create-worker.ts'
import { createClient } from '../../server/sdk/declaring-client.ts'
import { defineJobs } from '../../server/sdk/jobs/define-jobs.ts'

const jobs = defineJobs({
  sendEmail: {
    payload: z.object({ to: z.email(), copies: z.int().default(1) }),
    result: z.object({ messageId: z.string(), sentAt: z.iso.datetime().transform((text) => new Date(text)) }),
  },
  resize: { payload: z.object({ url: z.string() }) },
})

/** Types only, as in a service without the definitions at run time. */
const queue = createClient<typeof jobs>({ url: 'http://127.0.0.1:9' })

test('producers must pass the payload of the definition', () => {
  expectTypeOf(queue.sendEmail.enqueue).parameter(0).toEqualTypeOf<{ to: string; copies?: number | undefined }>()
  // @ts-expect-error no such field
  void (() => queue.sendEmail.enqueue({ wrong: 'field' }))
  // @ts-expect-error a number is no address
  void (() => queue.sendEmail.enqueue({ to: 7 }))
  // @ts-expect-error one of many is wrong
  void (() => queue.sendEmail.enqueueMany([{ to: 'a@b.co' }, {}]))
  // @ts-expect-error not defined
  void (() => queue.sendFax.enqueue({}))
  // @ts-expect-error the type and the payload are given elsewhere
  void (() => queue.resize.enqueue({ url: '' }, { type: 'other' }))
})

test('results have the output type of their schema', () => {
  const result = async () => (await queue.sendEmail.enqueue({ to: '' })).result()
  expectTypeOf(result).returns.resolves.toEqualTypeOf<{ messageId: string; sentAt: Date }>()
  const untyped = async () => (await queue.resize.enqueue({ url: '' })).result()
  expectTypeOf(untyped).returns.resolves.toEqualTypeOf<unknown>()
})

test('handlers receive the parsed payload and must return the result type', () => {
  void (() =>
    createWorker(queue, jobs, {
      sendEmail: ({ payload, signal, version }) => {
        expectTypeOf(payload).toEqualTypeOf<{ to: string; copies: number }>()
        expectTypeOf(signal).toEqualTypeOf<AbortSignal>()
        expectTypeOf(version).toEqualTypeOf<number>()
        return { messageId: 'm', sentAt: '2026-01-01T00:00:00Z' }
      },
    }))
  void (() =>
    createWorker(queue, jobs, {
      // @ts-expect-error the result has no messageId
      sendEmail: async () => ({ sentAt: '2026-01-01T00:00:00Z' }),
    }))
  void (() =>
    createWorker(queue, jobs, {
      // @ts-expect-error no such job
      sendFax: () => null,
    }))
})

test('settings with a default are optional, unknown settings are errors', () => {
  const payload = z.string()
  void (() => defineJobs({ one: { payload, settings: { backoff: { kind: 'exponential' } } } }))
  void (() => defineJobs({ one: { payload, settings: { backoff: { kind: 'linear', baseMs: 5_000 } } } }))
  // @ts-expect-error a fixed backoff needs baseMs
  void (() => defineJobs({ one: { payload, settings: { backoff: { kind: 'fixed' } } } }))
  // @ts-expect-error no such setting
  void (() => defineJobs({ one: { payload, settings: { retires: 3 } } }))
})

const renamed = defineJobs({
  sendWelcome: { type: 'mail.welcome', payload: z.object({ to: z.email() }) },
  resize: { payload: z.object({ url: z.string() }) },
  ping: { payload: z.string().optional() },
})

test('a client without definitions must be given renamed job types', () => {
  const url = 'http://127.0.0.1:9'
  void (() => createClient<typeof renamed>({ url, types: { sendWelcome: 'mail.welcome' } }))
  void (() => createClient({ url, jobs: renamed }))
  // @ts-expect-error sendWelcome is mail.welcome in the queue
  void (() => createClient<typeof renamed>({ url }))
  // @ts-expect-error another name than in the definition
  void (() => createClient<typeof renamed>({ url, types: { sendWelcome: 'welcome' } }))
  // @ts-expect-error nothing is renamed
  void (() => createClient<typeof jobs>({ url, types: { resize: 'image.resize' } }))
})

test('a payload is optional only when its schema allows undefined', () => {
  void ((client: Client<typeof renamed>) => [client.ping.enqueue(), client.ping.enqueue(undefined, { priority: 1 })])
  // @ts-expect-error resize needs its payload
  void ((client: Client<typeof renamed>) => client.resize.enqueue())
})

test('options of enqueueMany are per job, or without a dedupeKey', () => {
  void (() => queue.resize.enqueueMany([{ url: '' }], ({ url }) => ({ dedupeKey: url })))
  void (() => queue.resize.enqueueMany([{ url: '' }], { priority: 1 }))
  // @ts-expect-error one key for several jobs
  void (() => queue.resize.enqueueMany([{ url: '' }], { dedupeKey: 'one' }))
})

test('enqueueTx takes the payload of the definition, on an embedded queue', () => {
  void ((engine: Engine, sqlite: BetterSqlite.Database, pg: PoolClient) => {
    const typed = createClient({ queue: engine, jobs: renamed })
    expectTypeOf(typed.resize.enqueueTx(sqlite, { url: '' }).id).toEqualTypeOf<string>()
    expectTypeOf(typed.resize.enqueueTx(pg, { url: '' })).resolves.toHaveProperty('id')
    typed.sendWelcome.enqueueTx(sqlite, { to: 'a@b.co' }, { priority: 5 })
    typed.resize.enqueueManyTx(sqlite, [{ url: '' }], ({ url }) => ({ dedupeKey: url }))
    // @ts-expect-error no such field
    typed.resize.enqueueTx(sqlite, { uri: '' })
    // @ts-expect-error misspelt
    typed.sendWelcom.enqueueTx(sqlite, { to: 'a@b.co' })
    // @ts-expect-error no such option
    typed.resize.enqueueTx(sqlite, { url: '' }, { delay: 5 })
    // @ts-expect-error a string is no transaction
    typed.resize.enqueueTx('tx', { url: '' })
  })
  // @ts-expect-error behind a server there are no transactions
  void ((pg: PoolClient) => queue.resize.enqueueTx(pg, { url: '' }))
})

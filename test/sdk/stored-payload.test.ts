/** Stored form of typed payloads, and the payload of each attempt. */
import { randomUUID } from 'node:crypto'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { createWorker } from '../../server/sdk/create-worker.ts'
import { createClient } from '../../server/sdk/declaring-client.ts'
import { defineJobs } from '../../server/sdk/jobs/define-jobs.ts'
import type { Schema } from '../../server/sdk/jobs/standard-schema.ts'
import { loadedPayload, storedPayload } from '../../server/sdk/jobs/stored-payload.ts'
import { openQueue } from '../../server/sdk/open-queue.ts'
import { refused } from '../support/engine.ts'

let made = 0
const unique = () =>
  z.string().default(() => {
    made += 1
    return `made-${made}`
  })

/** The stored payload and the payloads of two attempts. */
async function attempts(schema: Schema, payload: unknown) {
  const stored: unknown = JSON.parse(JSON.stringify((await storedPayload(schema, payload, 'It')).stored))
  const load = () => loadedPayload(schema, stored, 'It')
  return { stored, loaded: [await load(), await load()] }
}

describe('a stored payload', () => {
  it('a stored payload has its defaults and no unknown keys, so that every attempt gets the same value', async () => {
    const { stored, loaded } = await attempts(z.object({ to: z.string(), key: unique() }), { to: 'a', other: 1 })
    expect(stored).toEqual({ to: 'a', key: expect.stringMatching(/^made-\d+$/) })
    expect(loaded).toEqual([stored, stored])
  })

  it('a stored payload is the input with defaults when a transform would run twice', async () => {
    const schema = z.object({ n: z.number().transform((n) => n * 2), key: unique(), inner: z.object({ id: unique() }) })
    const { stored, loaded } = await attempts(schema, { n: 1, inner: { more: true } })
    expect(stored).toEqual({ n: 1, key: expect.any(String), inner: { id: expect.any(String) } })
    const [first, second] = loaded
    expect(first).toMatchObject({ n: 2 })
    expect(second).toEqual(first)
  })

  it('a stored payload is the input when the output has another type', async () => {
    const schema = z.object({ at: z.iso.datetime().transform((text) => new Date(text)), key: unique() })
    const { stored, loaded } = await attempts(schema, { at: '2026-01-02T03:04:05Z' })
    expect(stored).toMatchObject({ at: expect.stringMatching(/^2026-01-02T03:04:05/), key: expect.any(String) })
    expect(loaded[0]).toMatchObject({ at: new Date('2026-01-02T03:04:05Z') })
    expect(loaded[1]).toEqual(loaded[0])
    const length = await attempts(
      z.string().transform((text) => text.length),
      'four',
    )
    expect(length).toEqual({ stored: 'four', loaded: [4, 4] })
  })

  it('a stored payload keeps unknown keys that the schema allows', async () => {
    const { stored } = await attempts(z.looseObject({ key: unique() }), { other: 1 })
    expect(stored).toEqual({ other: 1, key: expect.any(String) })
  })

  it('an optional payload may be omitted', async () => {
    const optional = z.object({ n: z.number() }).optional()
    expect(await attempts(optional, undefined)).toEqual({ stored: null, loaded: [undefined, undefined] })
    const nullable = z.object({ n: z.number() }).nullish()
    expect(await attempts(nullable, null)).toEqual({ stored: null, loaded: [null, null] })
  })

  it('a payload with asynchronous checks is stored as it was at the call', async () => {
    const known = z.string().refine(async (text) => text === 'known', 'is not known')
    const payload = { name: 'known' }
    const storing = storedPayload(z.object({ name: known, key: unique() }), payload, 'It')
    payload.name = 'changed'
    expect(await storing).toMatchObject({ stored: { name: 'known', key: expect.any(String) } })
    await expect(storedPayload(known, 'other', 'It')).rejects.toThrow('It failed validation: is not known')
  })

  it('a payload is parsed once when parsing changes nothing', async () => {
    let parses = 0
    const counted = z.object({ n: z.number() }).refine(() => {
      parses += 1
      return true
    })
    await storedPayload(counted, { n: 1 }, 'It')
    expect(parses).toBe(1)
  })
})

describe('a typed job that is retried', () => {
  it('a retried job has the same default in every attempt', async () => {
    const queue = await openQueue('sqlite::memory:')
    const jobs = defineJobs({
      pay: {
        payload: z.object({ amount: z.number(), key: z.uuid().default(() => randomUUID()) }),
        settings: { maxAttempts: 3, backoff: { kind: 'fixed', baseMs: 0 } },
      },
      ping: { payload: z.object({ n: z.number() }).optional() },
    })
    const client = createClient({ queue, jobs })
    const keys: string[] = []
    const pings: unknown[] = []
    const worker = createWorker(queue, jobs, {
      pay: ({ payload }) => {
        keys.push(payload.key)
        if (keys.length < 3) throw new Error('again')
      },
      ping: ({ payload }) => pings.push(payload),
    })
    onTestFinished(async () => {
      await worker.stop({ graceMs: 0 })
      await client.$close()
    })
    const job = await client.pay.enqueue({ amount: 5 })
    await job.result()
    expect([keys.length, new Set(keys).size]).toEqual([3, 1])
    await (await client.ping.enqueue()).result()
    await (await client.ping.enqueue(undefined, { priority: 1 })).result()
    expect(pings).toEqual([undefined, undefined])
  })
})

describe('enqueueMany', () => {
  it('enqueueMany takes options per job and refuses one dedupeKey for several', async () => {
    const queue = await openQueue('sqlite::memory:')
    onTestFinished(() => queue.close())
    const jobs = defineJobs({ mail: { payload: z.object({ to: z.string() }) } })
    const client = createClient({ queue, jobs })
    const payloads = [{ to: 'a' }, { to: 'b' }, { to: 'a' }]
    const many = await client.mail.enqueueMany(payloads, ({ to }, index) => ({ dedupeKey: to, priority: index }))
    expect(many.map(({ deduplicated }) => deduplicated)).toEqual([false, false, true])
    expect((await queue.list({ type: 'mail' })).jobs.map(({ priority }) => priority).sort()).toEqual([0, 1])
    const shared: { priority: number; dedupeKey?: string } = { priority: 1, dedupeKey: 'one' }
    const error = await refused(client.mail.enqueueMany(payloads, shared))
    expect(error).toMatchObject({
      code: 'BAD_INPUT',
      message: expect.stringContaining('enqueueMany(payloads, (payload)'),
    })
  })
})

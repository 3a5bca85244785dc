/** Groups in job definitions: keys that clients compute, and rules that they declare. */
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createClient } from '../../server/sdk/declaring-client.ts'
import { defineJobs } from '../../server/sdk/jobs/define-jobs.ts'
import { openQueue } from '../../server/sdk/open-queue.ts'
import { refused } from '../support/engine.ts'
import { describeServer } from '../support/server.ts'

const payload = z.object({ tenantId: z.union([z.string(), z.number()]).optional(), region: z.string().default('eu') })

const jobs = defineJobs({
  sync: {
    payload,
    group: { key: (p) => p.tenantId && `${p.region}/${p.tenantId}`, concurrency: 2, rate: { limit: 10, perMs: 1_000 } },
  },
  upload: { type: 'file.upload', payload, group: { name: 'tenants', key: (p) => p.tenantId, window: 1 } },
  scan: { payload, group: { name: 'tenants', key: '/tenantId', order: 'strict', onDead: 'stop' } },
  plain: { payload },
})

describeServer('groups of typed jobs', (startServer) => {
  it('a client computes the key from the parsed payload, and the option group wins', async () => {
    const { url, engine } = await startServer()
    const client = createClient({ url, jobs })
    const keyOf = async ({ id }: { readonly id: string }) => (await engine.get({ id })).groupKey
    expect(await keyOf(await client.sync.enqueue({ tenantId: 't-1' }))).toBe('eu/t-1')
    expect(await keyOf(await client.upload.enqueue({ tenantId: 42 }))).toBe('42')
    expect(await keyOf(await client.sync.enqueue({ tenantId: 't-1' }, { group: 'other' }))).toBe('other')
    expect(await keyOf(await client.sync.enqueue({}))).toBeNull()
    expect(await keyOf(await client.plain.enqueue({}, { group: 'mine' }))).toBe('mine')
    const many = await client.sync.enqueueMany([{ tenantId: 'a' }, { tenantId: 'b', region: 'us' }])
    expect(await Promise.all(many.map(keyOf))).toEqual(['eu/a', 'us/b'])
  })

  it('a client without definitions computes keys with its own functions', async () => {
    const { url, engine } = await startServer()
    const client = createClient<typeof jobs>({
      url,
      types: { upload: 'file.upload' },
      groups: { sync: ({ tenantId }) => tenantId, upload: () => undefined },
    })
    const job = await client.sync.enqueue({ tenantId: 7 })
    expect((await engine.get({ id: job.id })).groupKey).toBe('7')
    const without = await client.upload.enqueue({ tenantId: 7 })
    expect(await engine.get({ id: without.id })).toMatchObject({ groupKey: null, groupName: null })
  })

  it('the rules are declared with the type, without the key function', async () => {
    const { url, engine } = await startServer()
    await createClient({ url, jobs }).$declare()
    const declared = async (name: string) => (await engine.type({ name })).declared.group
    expect(await declared('sync')).toEqual({ concurrency: 2, rate: { limit: 10, perMs: 1_000 } })
    expect(await declared('file.upload')).toEqual({ name: 'tenants', window: 1 })
    expect(await declared('scan')).toEqual({ name: 'tenants', key: '/tenantId', order: 'strict', onDead: 'stop' })
    expect(await declared('plain')).toBeUndefined()
  })
})

describe('group keys of a client', () => {
  it.each([
    ['null', null],
    ['NaN', Number.NaN],
    ['an object', {}],
  ])('rejects %s', async (_, key) => {
    const queue = await openQueue('sqlite::memory:')
    // As JavaScript can pass it.
    const wrong = JSON.parse('{}')
    const client = createClient({
      queue,
      jobs: defineJobs({ sync: { payload: z.unknown(), group: { key: () => wrong.key ?? key } } }),
    })
    expect(await refused(client.sync.enqueue({}))).toMatchObject({
      code: 'BAD_INPUT',
      message: 'The group key of sync must be a string or a number; undefined means no group.',
    })
    await queue.close()
  })

  it('rejects an empty key and one that cannot be printed', async () => {
    const queue = await openQueue('sqlite::memory:')
    const client = createClient({ queue, jobs })
    for (const group of ['', 'a\nb', 'k'.repeat(256)]) {
      expect(await refused(client.plain.enqueue({}, { group }))).toMatchObject({ code: 'BAD_INPUT' })
    }
    await queue.close()
  })
})

describe('defineJobs', () => {
  const define = (one: object, other: object) => () =>
    defineJobs({ one: { payload, group: { name: 'g', ...one } }, other: { payload, group: { name: 'g', ...other } } })

  it('rejects different rules for one shared group', () => {
    expect(define({ concurrency: 2 }, { concurrency: 3 })).toThrow(
      'one and other declare different values of concurrency for group g; declare it once, or give both the same value.',
    )
    expect(define({ rate: { limit: 1, perMs: 5 } }, { rate: { limit: 2, perMs: 5 } })).toThrow('values of rate')
    expect(define({ order: 'strict' }, { concurrency: 3 })).toThrow('order strict')
    expect(() =>
      defineJobs({ g: { payload, group: { window: 1 } }, two: { payload, group: { name: 'g', window: 2 } } }),
    ).toThrow('g and two declare different values of window for group g')
  })

  it('accepts equal rules and different keys for one shared group', () => {
    expect(
      define({ rate: { limit: 1, perMs: 5 }, key: '/a' }, { rate: { perMs: 5, limit: 1 }, key: '/b' }),
    ).not.toThrow()
    expect(define({ concurrency: 2 }, { window: 1 })).not.toThrow()
  })

  it('rejects an unknown rule and suggests the known one', () => {
    const group = { key: '/tenantId', concurency: 2 }
    expect(() => defineJobs({ one: { payload, group } })).toThrow('did you mean concurrency?')
  })

  it('rejects an invalid pointer, and rules that contradict each other', () => {
    const one = (group: { readonly key?: string; readonly concurrency?: number; readonly order?: 'strict' }) => () =>
      defineJobs({ one: { payload, group } })
    expect(one({ key: 'tenantId' })).toThrow('The group of one failed validation: key: must be a JSON pointer')
    expect(one({ concurrency: 0 })).toThrow('The group of one failed validation: concurrency')
    expect(one({ order: 'strict', concurrency: 2 })).toThrow('must be 1 or left out with order strict')
  })
})

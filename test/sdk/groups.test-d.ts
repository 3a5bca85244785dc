/** Type tests of groups in job definitions and clients. */
import { expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import { createClient } from '../../server/sdk/declaring-client.ts'
import { defineJobs } from '../../server/sdk/jobs/define-jobs.ts'

const url = 'http://127.0.0.1:9'

const jobs = defineJobs({
  syncTenant: {
    payload: z.object({ tenantId: z.string(), page: z.int().default(1) }),
    result: z.object({ rows: z.int() }),
    group: {
      key: (payload) => {
        expectTypeOf(payload).toEqualTypeOf<{ tenantId: string; page: number }>()
        return payload.tenantId
      },
      concurrency: 2,
      rate: { limit: 10, perMs: 1_000 },
      order: 'fair',
    },
  },
  callModel: { type: 'ai.call', payload: z.object({ account: z.int() }), group: { name: 'openai', key: '/account' } },
  resize: { payload: z.object({ url: z.string() }) },
})

test('definitions with a group keep the types of payload, result and name', () => {
  const client = createClient({ url, jobs })
  expectTypeOf(client.syncTenant.enqueue).parameter(0).toEqualTypeOf<{ tenantId: string; page?: number | undefined }>()
  const result = async () => (await client.syncTenant.enqueue({ tenantId: '' })).result()
  expectTypeOf(result).returns.resolves.toEqualTypeOf<{ rows: number }>()
  expectTypeOf<(typeof jobs)['callModel']['type']>().toEqualTypeOf<'ai.call'>()
  void (() => client.resize.enqueue({ url: '' }, { group: 'tenant-42' }))
  void (() => client.resize.enqueueMany([{ url: '' }], { group: 'tenant-42' }))
  // @ts-expect-error a key is a string
  void (() => client.resize.enqueue({ url: '' }, { group: 42 }))
})

test('a key function receives the parsed payload and returns a key', () => {
  const payload = z.object({ tenantId: z.string(), other: z.object({}) })
  // @ts-expect-error no such field
  void (() => defineJobs({ one: { payload, group: { key: (p) => p.tenant } } }))
  // @ts-expect-error an object is no key
  void (() => defineJobs({ one: { payload, group: { key: (p) => p.other } } }))
  void (() => defineJobs({ one: { payload, group: { key: () => undefined } } }))
  // @ts-expect-error no such order
  void (() => defineJobs({ one: { payload, group: { order: 'random' } } }))
  // @ts-expect-error a group is no setting: it is given beside the settings
  void (() => defineJobs({ one: { payload, settings: { group: {} } } }))
})

test('a client without definitions must be given the key functions that it cannot call', () => {
  const types = { callModel: 'ai.call' } as const
  void (() => createClient<typeof jobs>({ url, types, groups: { syncTenant: ({ tenantId }) => tenantId } }))
  // @ts-expect-error syncTenant has a key function
  void (() => createClient<typeof jobs>({ url, types }))
  // @ts-expect-error no such field
  void (() => createClient<typeof jobs>({ url, types, groups: { syncTenant: (payload) => payload.tenant } }))
  // @ts-expect-error the queue reads the key of callModel from its payload
  void (() => createClient<typeof jobs>({ url, types, groups: { syncTenant: () => '', callModel: () => '' } }))
  // @ts-expect-error the definitions have the key functions
  void (() => createClient({ url, jobs, groups: { syncTenant: () => 'one' } }))
})

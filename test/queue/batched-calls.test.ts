/** Batches of calls to a server: each call of a request succeeds or fails alone. */
import { expect, it } from 'vitest'
import { z } from 'zod'
import { appRouter } from '../../server/api/router.ts'
import { openServerQueue } from '../../server/sdk/node-http/server-queue.ts'
import { VERBS } from '../../shared/verbs/verbs.ts'
import { held, refused } from '../support/engine.ts'
import { DATABASES } from '../support/places.ts'
import { describeServer } from '../support/server.ts'

const isQuery = z.object({ type: z.literal('query') })

it('the table of verbs names every query of the router as a query', () => {
  const procedures = Object.entries<object>(appRouter._def.procedures)
  const queries = procedures.flatMap(([name, { _def }]: [string, { _def?: unknown }]) =>
    name !== 'export' && isQuery.safeParse(_def).success ? [name] : [],
  )
  const inTable = Object.values(VERBS).flatMap(({ path, type }) => (type === 'query' ? [path] : []))
  expect(inTable.sort()).toEqual(queries.sort())
})

it('the table of verbs names a procedure of the router for each verb', () => {
  const others = ['backup', 'batch', 'events', 'export']
  const procedures = Object.keys(appRouter._def.procedures).filter((name) => !others.includes(name))
  expect(
    Object.values(VERBS)
      .map(({ path }) => path)
      .sort(),
  ).toEqual(procedures.sort())
})

describeServer(
  'a queue behind a server',
  (startServer) => {
    it('accepts queries and mutations of one turn', async () => {
      const queue = openServerQueue({ url: (await startServer()).url })
      const [{ id }, counts, more] = await Promise.all([
        queue.enqueue({ type: 'mail', payload: 1 }),
        queue.counts(),
        queue.enqueueMany({ jobs: [{ type: 'mail', payload: 2 }] }),
      ])
      expect(counts).toBeDefined()
      expect(more).toHaveLength(1)
      expect(await Promise.all([queue.get({ id }), queue.cancel({ id }), queue.types()])).toMatchObject([
        { id },
        expect.anything(),
        [{ name: 'mail' }],
      ])
    })

    it('rejects only the calls of a turn that the server refuses, each with its own error', async () => {
      const { url, engine } = await startServer({ DURABILITY: 'normal' })
      const queue = openServerQueue({ url })
      const { id, version } = await held(engine, { type: 'mail' })
      const lost = '018f6f0e-0000-7000-8000-00000000dead'
      const outcomes = await Promise.allSettled([
        queue.enqueue({ type: 'mail', payload: 1 }),
        queue.enqueue({ type: '', payload: 2 }),
        queue.complete({ id, version: version + 1 }),
        queue.cancel({ id: lost }),
        queue.complete({ id, version, result: { ok: true } }),
        queue.enqueueMany({ jobs: [{ type: 'mail', payload: 3 }] }),
      ])
      expect(outcomes.map((outcome) => (outcome.status === 'rejected' ? outcome.reason : 'done'))).toEqual([
        'done',
        expect.objectContaining({ name: 'QueueError', code: 'BAD_INPUT', message: expect.stringMatching(/^type: /) }),
        expect.objectContaining({ name: 'QueueError', code: 'STALE_CLAIM' }),
        expect.objectContaining({ name: 'QueueError', code: 'NOT_FOUND' }),
        'done',
        'done',
      ])
      expect(await engine.counts()).toMatchObject({ pending: 2, completed: 1 })
    })

    it('rejects only the calls of a turn for which its token has no scope', async () => {
      const { url, engine } = await startServer({ AUTH_TOKEN: 'the-root-token', DURABILITY: 'normal' })
      const { token } = await engine.createToken({ name: 'mail', scopes: ['produce'], typePrefix: 'mail' })
      const queue = openServerQueue({ url, token })
      const outcomes = await Promise.allSettled([
        queue.enqueue({ type: 'mail', payload: 1 }),
        queue.pause(),
        queue.enqueue({ type: 'other', payload: 2 }),
        queue.claim({ worker: 'w' }),
      ])
      expect(outcomes.map((outcome) => (outcome.status === 'rejected' ? outcome.reason.code : 'done'))).toEqual([
        'done',
        'FORBIDDEN',
        'FORBIDDEN',
        'FORBIDDEN',
      ])
      expect(await engine.counts()).toMatchObject({ pending: 1 })
      const stranger = openServerQueue({ url, token: 'wrong' })
      const calls = [1, 2].map((payload) => stranger.enqueue({ type: 'mail', payload }))
      expect(await Promise.all(calls.map(refused))).toMatchObject([{ code: 'UNAUTHORIZED' }, { code: 'UNAUTHORIZED' }])
    })

    it('reads every job of a turn, also if their response would be too large', async () => {
      const { url, engine } = await startServer({ DURABILITY: 'normal' })
      const queue = openServerQueue({ url })
      const { id } = await engine.enqueue({ type: 'mail', payload: 'x'.repeat(1_000_000) })
      const jobs = await Promise.all(Array.from({ length: 40 }, () => queue.get({ id })))
      expect(jobs.every((job) => job.id === id)).toBe(true)
    })

    it('stores every job that fits into the body limit of the server, also if its turn does not', async () => {
      const { url, engine } = await startServer({ MAX_BODY_BYTES: '2048', DURABILITY: 'normal' })
      const queue = openServerQueue({ url })
      const sizes = [...Array(15).fill(500), 4_000, ...Array(15).fill(600)]
      const outcomes = await Promise.allSettled(
        sizes.map((size) => queue.enqueue({ type: 'mail', payload: 'x'.repeat(size) })),
      )
      expect(outcomes.map((outcome) => (outcome.status === 'rejected' ? outcome.reason.code : 'done'))).toEqual(
        sizes.map((size) => (size > 2_048 ? 'TOO_LARGE' : 'done')),
      )
      expect(await engine.counts()).toMatchObject({ pending: 30 })
    })
  },
  DATABASES.slice(0, 1),
)

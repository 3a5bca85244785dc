/** Inputs are encoded at the call: later changes are not sent, and values that JSON cannot hold are rejected by path. */
import { expect, it } from 'vitest'
import { createClient } from '../../server/sdk/declaring-client.ts'
import { openQueue } from '../../server/sdk/open-queue.ts'
import type { Queue } from '../../shared/queue.ts'
import { held, refused } from '../support/engine.ts'
import { DATABASES } from '../support/places.ts'
import { describeServer } from '../support/server.ts'

const CYCLE: { name: string; self?: unknown } = { name: 'a' }
CYCLE.self = [CYCLE]

const BAD = [
  [
    'a BigInt',
    { items: [1, { price: 5n }] },
    'items.1.price is a BigInt, which JSON does not have; send it as a string.',
  ],
  ['a cycle', { first: CYCLE }, 'first.self.0 refers to an object that contains it; remove the reference.'],
  [
    'a toJSON that throws',
    {
      at: new Date(Number.NaN),
      url: {
        toJSON: () => {
          throw new Error('not now')
        },
      },
    },
    'url cannot be written as JSON: not now.',
  ],
] as const

/** What is sent does not depend on the database. */
const ONE_DATABASE = DATABASES.slice(0, 1)

describeServer(
  'a queue behind a server and one in this process',
  (startServer) => {
    const both = async () => {
      const { engine, url } = await startServer({ DURABILITY: 'normal' })
      return { engine, url, queues: [engine, await openQueue(url)] satisfies Queue[] }
    }

    it.each(BAD)('refuse %s alike, on every verb that takes JSON', async (_, value, message) => {
      const { engine, queues } = await both()
      const { id, version } = await held(engine, { type: 'mail' })
      const errors = []
      for (const queue of queues) {
        for (const [place, call] of [
          ['payload', () => queue.enqueue({ type: 'a', payload: value })],
          ['jobs.1.payload', () => queue.enqueueMany({ jobs: [1, value].map((payload) => ({ type: 'a', payload })) })],
          ['result', () => queue.complete({ id, version, result: value })],
        ] as const) {
          const { code, message: text, details } = await refused(call())
          errors.push([code, text, details.issues])
          expect([code, text]).toEqual(['BAD_INPUT', `${place}.${message}`])
        }
      }
      expect(errors.slice(0, 3)).toEqual(errors.slice(3))
      expect(await engine.counts()).toMatchObject({ pending: 0, processing: 1 })
    })

    it('refuse what JSON cannot hold in other fields too, and never as UNREACHABLE', async () => {
      const { queues } = await both()
      for (const queue of queues) {
        const lease = { id: '018f6f0e-0000-7000-8000-00000000dead', version: 1 }
        // As a program without types would call.
        const progress: { id: string; version: number; progress: number } = Object.assign(
          { ...lease, progress: 1 },
          { progress: 5n },
        )
        expect((await refused(queue.progress(progress))).code).toBe('BAD_INPUT')
        const lines: { line: string }[] = [Object.assign({ line: 'x' }, { line: 5n })]
        expect((await refused(queue.log({ ...lease, lines }))).code).toBe('BAD_INPUT')
      }
    })

    it('send a payload and a result as they were at the call', async () => {
      const { engine, queues, url } = await both()
      const payload = { list: [1], at: new Date(0) }
      const sending = [
        ...queues.map((queue) => queue.enqueue({ type: 'a', payload })),
        ...queues.map((queue) => queue.enqueueMany({ jobs: [{ type: 'a', payload }] })),
        createClient<{ a: { payload: never } }>({ url }).$queue.enqueue({ type: 'a', payload }),
      ]
      payload.list.push(2)
      Object.assign(payload, { later: true })
      await Promise.all(sending)
      const { jobs } = await engine.list({ type: 'a', payloads: true })
      expect(jobs.map((job) => job.payload)).toEqual(Array(5).fill({ list: [1], at: '1970-01-01T00:00:00.000Z' }))

      const { id, version } = await held(engine, { type: 'mail' })
      const result = { done: [1] }
      const settling = queues[1]?.complete({ id, version, result })
      result.done.push(2)
      await settling
      expect((await engine.get({ id })).result).toEqual({ done: [1] })
    })
  },
  ONE_DATABASE,
)

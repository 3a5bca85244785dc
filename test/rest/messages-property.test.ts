/** Messages under any interleaving of clients: ids rise, none is read twice, none is lost. */
import fc from 'fast-check'
import { expect, it, vi } from 'vitest'
import { emptyCounts } from '../../shared/status.ts'
import type { TestServer } from '../support/server.ts'
import { describeRest, send } from './send.ts'

vi.setConfig({ testTimeout: 60_000 })

interface Message {
  readonly id: number
  readonly body: string
  readonly version: number
}

const step = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ verb: 'post' as const, limit: 0 }) },
  { weight: 2, arbitrary: fc.integer({ min: 1, max: 4 }).map((limit) => ({ verb: 'get' as const, limit })) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 3 }).map((limit) => ({ verb: 'ack' as const, limit })) },
)
const clients = fc.array(fc.array(step, { maxLength: 8 }), { minLength: 1, maxLength: 4 })

/** Runs the steps of one client in sequence. */
async function run(server: TestServer, topic: string, steps: readonly { verb: string; limit: number }[], name: number) {
  const [posted, taken]: [Message[], Message[]] = [[], []]
  for (const [n, { verb, limit }] of steps.entries()) {
    if (verb === 'post') {
      const { body } = await send(server, 'POST /v1/messages', { body: `${name}/${n}`, topic })
      posted.push(body as Message)
      continue
    }
    const timeout = verb === 'ack' ? '&visibility_timeout=600' : ''
    const messages = (await send(server, `GET /v1/messages?topic=${topic}&limit=${limit}${timeout}`)).body as Message[]
    taken.push(...messages)
    if (verb !== 'ack') continue
    const acks = messages.map(({ id, version }) => ({ id, version }))
    const { body } = await send(server, 'POST /v1/acks', { acks })
    expect(body).toEqual({ acked: acks.map(({ id }) => id), stale: [] })
  }
  return { posted, taken }
}

const idsOf = (messages: readonly Message[]) => messages.map(({ id }) => id)
const rising = (ids: readonly number[]) => ids.every((id, n) => n === 0 || id > (ids[n - 1] ?? 0))

describeRest('messages of several clients', (startServer) => {
  it('messages of several clients have rising ids, are read once and are never lost', async () => {
    const server = await startServer()
    let topics = 0
    await fc.assert(
      fc.asyncProperty(clients, async (all) => {
        topics += 1
        const topic = `topic-${topics}`
        const done = await Promise.all(all.map((steps, name) => run(server, topic, steps, name)))
        const rest = await run(server, topic, Array(10).fill({ verb: 'get', limit: 4 }), all.length)
        for (const { posted, taken } of [...done, rest]) {
          expect([rising(idsOf(posted)), rising(idsOf(taken))]).toEqual([true, true])
        }
        const text = ({ id, body }: Message) => `${id} ${body}`
        const posted = done.flatMap((one) => one.posted.map(text))
        const taken = [...done, rest].flatMap((one) => one.taken.map(text))
        expect(taken.toSorted()).toEqual(posted.toSorted())
        const { counts } = await server.engine.stats({ type: topic })
        expect(counts).toEqual({ ...emptyCounts(), completed: posted.length })
      }),
      { numRuns: 15 },
    )
  })
})

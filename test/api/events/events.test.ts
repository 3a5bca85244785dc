/** The event stream over real connections: pushed, resumed after a disconnect, refetched after a restart, and closed. */
import { expect, it } from 'vitest'
import { limits } from '../../../shared/limits.ts'
import { add, until } from '../../support/engine.ts'
import { cuttable } from '../../support/proxies/cuttable.ts'
import { call, describeServer, type TestServer } from '../../support/server.ts'
import { type Frame, subscribe } from '../support/subscription.ts'

const refetches = (frames: readonly Frame[]) => frames.map(({ data }) => data.refetch)

describeServer('the event stream', (startServer) => {
  it('the event stream pushes a new job to a stock client', async () => {
    const server = await startServer()
    const { frames, named } = subscribe(server)
    await until(() => frames.length > 0)
    const id = await add(server.engine)
    await until(() => named().includes(id))
    expect(frames.at(-1)?.data).toMatchObject({ refetch: false, total: 1, counts: { pending: 1 } })
  })

  it('the event stream resumes after a disconnect without missing a change', async () => {
    const server = await startServer()
    const line = await cuttable(server.address.port)
    const { frames, named } = subscribe(line)
    await until(() => frames.length > 0)
    const seen = await add(server.engine)
    await until(() => named().includes(seen))
    line.cut()
    await until(() => server.frames.subscriberCount === 0)
    const missed = [await add(server.engine), await add(server.engine)]
    await until(() => missed.every((id) => named().includes(id)))
    expect(refetches(frames.slice(1))).not.toContain(true)
    expect(named()).toEqual([seen, ...missed])
    expect(frames.at(-1)?.data.counts.pending).toBe(3)
  })

  it('the event stream sends refetch to a client after a restart', async () => {
    const first = await startServer()
    const line = await cuttable(first.address.port)
    const { frames, states } = subscribe(line)
    await until(() => frames.length > 0)
    await first.close()
    const second = await startServer({}, { place: first.place })
    const missed = await add(second.engine)
    line.lead(second.address.port)
    await until(() => frames.length > 1)
    expect(frames[1]?.data).toMatchObject({ refetch: true, counts: { pending: 1 } })
    expect((await second.engine.get({ id: missed })).status).toBe('pending')
    expect(states).toContain('connecting')
  })

  it('the event stream leaves no listener behind after 200 connects and disconnects', { timeout: 60_000 }, async () => {
    const server = await startServer()
    for (let round = 0; round < 10; round++) {
      const readers = await Promise.all(Array.from({ length: 20 }, () => openStream(server)))
      expect([server.frames.subscriberCount, server.engine.events.listenerCount]).toEqual([20, 1])
      for (const [n, reader] of readers.entries()) {
        // Half of them disconnect after the first frame, half in the middle of a frame.
        if (n === 10) await add(server.engine)
        reader.abort()
      }
      await until(() => server.frames.subscriberCount === 0)
    }
    expect(server.engine.events.listenerCount).toBe(0)
  })

  it('an event stream is refused with an error status when too many are open', async () => {
    const server = await startServer()
    const watchers = Array.from({ length: limits.eventClients }, () => server.frames.follow(null, undefined))
    for (const watcher of watchers) await watcher.next()
    const answer = await call(server, 'events', 'query')
    expect(answer).toMatchObject({ status: 429, body: { error: { data: { queueCode: 'TOO_MANY' } } } })
    for (const watcher of watchers) await watcher.return()
    expect(server.frames.subscriberCount).toBe(0)
  })

  it('the event stream reads the last id from the Last-Event-ID header', async () => {
    const server = await startServer()
    await add(server.engine)
    const from = server.engine.events.lastId
    const id = await add(server.engine)
    const stream = await openStream(server, { 'last-event-id': from })
    expect(stream.first.data).toMatchObject({ refetch: false, total: 1, changes: [{ id }] })
    stream.abort()
    await until(() => server.frames.subscriberCount === 0)
  })

  it('an open event stream does not prevent a shutdown', async () => {
    const server = await startServer()
    const { frames } = subscribe(server)
    await until(() => frames.length > 0)
    await server.close()
    expect(server.frames.subscriberCount).toBe(0)
  })
})

/** The bare stream, up to its first frame. */
async function openStream({ url }: TestServer, headers: Readonly<Record<string, string>> = {}) {
  const controller = new AbortController()
  const response = await fetch(`${url}/trpc/events`, { headers, signal: controller.signal })
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  while (!/^id: .*\n\n/m.test(text)) {
    const part = await reader?.read()
    if (part?.value === undefined) throw new Error(`the stream ended after ${JSON.stringify(text)}`)
    text += part.value
  }
  const [, data = '', id = ''] = /^data: (\{"at".*)\nid: (.*)$/m.exec(text) ?? []
  const first: Frame = { id, data: JSON.parse(data) }
  return { first, abort: () => controller.abort() }
}

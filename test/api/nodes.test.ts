/** Two nodes on one database, over real connections: a call that waits on one sees the commits of the other. */
import { expect, it, onTestFinished } from 'vitest'
import { openEngine } from '../../server/compose/open-engine.ts'
import type { Engine } from '../../server/engine/engine.ts'
import { add, take, until } from '../support/engine.ts'
import { postgres } from '../support/places.ts'
import { call, type StartServer, type TestServer } from '../support/server.ts'
import { given, ok } from './support/responses.ts'
import { subscribe } from './support/subscription.ts'
import { claimed, counts, describeApi } from './support/world.ts'

const WAIT = { worker: 'worker-1', waitMs: 30_000 }

/** Another node; on SQLite, where only one server may run, a second engine without services. */
async function engineBeside({ place }: TestServer, openServer: StartServer): Promise<Engine> {
  if (place.dialect === 'postgres') return (await openServer({}, { place })).engine
  const engine = await openEngine({ url: place.url(), durability: 'normal', services: false })
  onTestFinished(() => engine.close())
  return engine
}

describeApi('a server beside another writer', ({ openServer }) => {
  it('a waiting claim gets a job that another node enqueues', async () => {
    const server = await openServer()
    const other = await engineBeside(server, openServer)
    const claim = call(server, 'claim', 'mutation', WAIT)
    await until(() => server.engine.load.waitingClaims === 1)
    const id = await add(other, { payload: { to: 'ada' } })
    expect(given(await claim)).toEqual([claimed({ id, payload: { to: 'ada' } })])
    expect(await other.get({ id })).toMatchObject({ status: 'processing', lockedBy: 'worker-1', attempts: 1 })
  })

  it('a waiting claim is woken when another node resumes a type', async () => {
    const server = await openServer()
    const other = await engineBeside(server, openServer)
    const id = await add(server.engine)
    await other.pauseType({ name: 'mail' })
    const claim = call(server, 'claim', 'mutation', WAIT)
    await until(() => server.engine.load.waitingClaims === 1)
    await other.resumeType({ name: 'mail' })
    expect(given(await claim)).toEqual([claimed({ id })])
  })

  it('a call that waits for a result gets it from a worker of another node', async () => {
    const server = await openServer()
    const other = await engineBeside(server, openServer)
    const id = await add(server.engine)
    const result = call(server, 'result', 'query', { ids: [id], waitMs: 30_000 })
    const { version } = await take(other)
    await other.complete({ id, version, result: { pages: 3 } })
    expect(given(await result)).toEqual({
      outcomes: [{ id, status: 'completed', result: { pages: 3 } }],
      notYet: [],
    })
  })

  it('the event stream sends refetch with exact counts after commits of another node', async () => {
    const server = await openServer()
    const other = await engineBeside(server, openServer)
    const { frames } = subscribe(server)
    await until(() => frames.length > 0)
    const received = (some: Parameters<typeof counts>[0]) => () =>
      frames.slice(1).some(({ data }) => data.refetch && JSON.stringify(data.counts) === JSON.stringify(counts(some)))
    const id = await add(other)
    await until(received({ pending: 1 }))
    const { version } = await take(other)
    await until(received({ processing: 1 }))
    await other.complete({ id, version })
    await until(received({ completed: 1 }))
    expect(await ok(server, 'get', { id })).toMatchObject({ status: 'completed' })
  })
})

describeApi(
  'two nodes',
  ({ openServer }) => {
    it('two nodes are both ready, one of them leads, and each serves jobs of the other', async () => {
      const first = await openServer()
      const second = await openServer({}, { place: first.place })
      const nodes = [first, second]
      await until(() => nodes.every(({ engine }) => engine.upkeepAt !== null))
      expect(nodes.filter(({ engine }) => engine.isLeader)).toHaveLength(1)
      for (const { url } of nodes) expect((await fetch(`${url}/ready`)).status).toBe(200)
      for (const [here, there] of [nodes, nodes.toReversed()] as [TestServer, TestServer][]) {
        const claim = call(here, 'claim', 'mutation', WAIT)
        await until(() => here.engine.load.waitingClaims === 1)
        const { id } = await ok<{ id: string }>(there, 'enqueue', { type: 'mail', payload: 1 })
        expect(given(await claim)).toEqual([claimed({ id, payload: 1 })])
        const done = await ok(there, 'complete', { id, version: 1 })
        expect(done).toMatchObject({ status: 'completed', repeated: false })
        expect(await ok(here, 'complete', { id, version: 1 })).toMatchObject({ repeated: true })
      }
      expect(await ok(first, 'stats')).toMatchObject({ counts: counts({ completed: 2 }) })
    })

    it('one node keeps its waiting claims when the other shuts down', async () => {
      const leaving = await openServer()
      const staying = await openServer({}, { place: leaving.place })
      const claims = [leaving, staying].map((node) => call(node, 'claim', 'mutation', WAIT))
      await until(() => [leaving, staying].every(({ engine }) => engine.load.waitingClaims === 1))
      await leaving.close()
      const { id } = await ok<{ id: string }>(staying, 'enqueue', { type: 'mail', payload: 1 })
      const [left, stayed] = await Promise.all(claims.map(async (claim) => given(await claim)))
      expect([left, stayed]).toEqual([[], [claimed({ id, payload: 1 })]])
    })
  },
  [postgres],
)

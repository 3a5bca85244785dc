/** `worker stop`: name matching and end of the wait. */
import { expect, it } from 'vitest'
import { type StopOptions, stopWorkers } from '../../server/shell/stop-workers.ts'
import { groupName, groupOf, isNamed, memberName } from '../../server/shell/worker-names.ts'
import { add, describeEngine, take } from '../support/engine.ts'

it('recognises shell workers by their names', () => {
  const name = memberName(groupName('build', '4f2a9c'), 2)
  expect([name, groupOf(name)]).toEqual(['build:4f2a9c/2', 'build:4f2a9c'])
  expect(['host:812:4f2a9c', 'plain', 'build/1', 'a:b/1'].map(groupOf)).toEqual([null, null, null, null])
  expect(['build', 'build:4f2a9c', name].map((asked) => isNamed(name, asked))).toEqual([true, true, true])
  expect(['buil', 'build:', 'build:4f2a9c/', 'build:4f2a9c/1'].map((asked) => isNamed(name, asked))).toEqual(
    Array(4).fill(false),
  )
})

describeEngine('worker stop', (open) => {
  const WORKERS = ['build:00000a/1', 'build:00000a/2', 'build:00000b/1', 'night:00000c/1', 'app:99:00000d']

  async function opened() {
    const { engine, clock } = await open()
    for (const worker of WORKERS) await engine.heartbeat({ worker, leases: [] })
    const stop = (name: string | null, signal = new AbortController().signal) => {
      const options: StopOptions = { name, actor: 'operator', clock, signal }
      return stopWorkers(engine, options)
    }
    const draining = async () =>
      (await engine.workers()).filter((one) => one.drainRequestedAt !== null).map(({ name }) => name)
    return { engine, clock, stop, draining }
  }

  it.each([
    ['every shell worker', null, WORKERS.slice(0, 4)],
    ['those of a name', 'build', WORKERS.slice(0, 3)],
    ['those that were started together', 'build:00000a', WORKERS.slice(0, 2)],
    ['one', 'build:00000a/2', ['build:00000a/2']],
    ['one of another kind', 'app:99:00000d', ['app:99:00000d']],
    ['an unknown name', 'unknown', []],
  ])('worker stop drains %s', async (_, name, expected) => {
    const { stop, draining, engine } = await opened()
    expect((await stop(name)).map((one) => one.name)).toEqual(expected)
    expect(await draining()).toEqual(expected)
    expect((await engine.auditTrail()).map(({ actor, action }) => `${actor} ${action}`)).toEqual(
      expected.map(() => 'operator workers.drain'),
    )
  })

  it('worker stop skips offline workers', async () => {
    const { stop, clock, engine } = await opened()
    await clock.advance(61_000)
    await engine.heartbeat({ worker: 'night:00000c/1', leases: [] })
    expect(await stop(null)).toEqual([{ name: 'night:00000c/1', processing: 0 }])
  })

  it('worker stop does not wait for jobs of a dead worker', async () => {
    const { stop, clock, engine } = await opened()
    await add(engine)
    await take(engine, { worker: 'night:00000c/1', leaseMs: 600_000 })
    const stopping = stop('night')
    await clock.advance(61_000)
    expect(await stopping).toEqual([{ name: 'night:00000c/1', processing: 1 }])
  })

  it('worker stop waits for running jobs, also for those started meanwhile', async () => {
    const { stop, clock, engine, draining } = await opened()
    await add(engine)
    const job = await take(engine, { worker: 'build:00000a/2' })
    let stopped: unknown = null
    const stopping = stop('build').then((answer) => {
      stopped = answer
    })
    await clock.advance(1_000)
    expect(stopped).toBeNull()
    // Its supervisor has started another worker.
    await engine.heartbeat({ worker: 'build:00000a/3', leases: [] })
    await engine.heartbeat({ worker: 'build:00000e/1', leases: [] })
    await clock.advance(1_000)
    expect(await draining()).toContain('build:00000a/3')
    await engine.complete({ id: job.id, version: job.version })
    await clock.advance(1_000)
    await stopping
    expect(stopped).toEqual(
      ['build:00000a/1', 'build:00000a/2', 'build:00000a/3', 'build:00000b/1'].map((name) => ({ name, processing: 0 })),
    )
    // Started later under the same name by another supervisor.
    expect(await draining()).not.toContain('build:00000e/1')
  })

  it('worker stop ends its wait on abort and returns the running jobs', async () => {
    const { stop, engine } = await opened()
    await add(engine)
    await take(engine, { worker: 'night:00000c/1' })
    expect(await stop('night', AbortSignal.abort())).toEqual([{ name: 'night:00000c/1', processing: 1 }])
  })
})

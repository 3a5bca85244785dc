/** Leases in memory that a worker shares with its heartbeat thread. */
import { Worker } from 'node:worker_threads'
import { describe, expect, it, onTestFinished } from 'vitest'
import { newId } from '../../../server/base/ids.ts'
import { HeartbeatLoop } from '../../../server/worker/heartbeats/heartbeats.ts'
import { readSharedLeases, SharedLeases } from '../../../server/worker/heartbeats/shared-leases.ts'
import { TestClock } from '../../support/test-clock.ts'

const lease = (version = 1) => ({ id: newId(), version })

describe('shared leases', () => {
  it('are read as they were written', () => {
    const leases = new SharedLeases()
    const [one, other] = [lease(), lease(2 ** 40)]
    leases.hold(one, 1.5)
    leases.hold(other, 2.25)
    expect(readSharedLeases(leases.buffer)).toEqual([
      { ...one, confirmedAt: 1.5 },
      { ...other, confirmedAt: 2.25 },
    ])
    expect(leases.drop(one)).toBe(true)
    expect(leases.drop(one)).toBe(false)
    expect(readSharedLeases(leases.buffer)).toEqual([{ ...other, confirmedAt: 2.25 }])
  })

  it('two versions of a job have a row each', () => {
    const leases = new SharedLeases()
    const { id } = lease()
    leases.hold({ id, version: 1 }, 1)
    leases.hold({ id, version: 2 }, 2)
    leases.drop({ id, version: 1 })
    expect(readSharedLeases(leases.buffer)).toEqual([{ id, version: 2, confirmedAt: 2 }])
  })

  it('a lease that does not fit is refused, and rows are used again', () => {
    const leases = new SharedLeases()
    expect(leases.hold({ id: 'x'.repeat(41), version: 1 }, 1)).toBe(false)
    expect(leases.hold({ id: 'ä', version: 1 }, 1)).toBe(false)
    const held = Array.from({ length: 1_024 }, () => lease())
    expect(held.every((one) => leases.hold(one, 1))).toBe(true)
    expect(leases.hold(lease(), 1)).toBe(false)
    for (const one of held) leases.drop(one)
    expect(readSharedLeases(leases.buffer)).toEqual([])
    expect(held.every((one) => leases.hold(one, 1))).toBe(true)
  })

  it('a new thread reads the time of the last confirmation', () => {
    const leases = new SharedLeases()
    const one = lease()
    leases.hold(one, 1)
    leases.confirm(one, 5)
    leases.confirm(one, 4)
    leases.confirm(lease(), 9)
    leases.writeConfirmations()
    expect(readSharedLeases(leases.buffer)).toEqual([{ ...one, confirmedAt: 5 }])
  })

  it('a reader never sees a mixture of two leases', async () => {
    const leases = new SharedLeases()
    // Rewrites one row in a loop. The id of version n is n, padded.
    const writer = new Worker(
      `const { workerData } = require('node:worker_threads')
      const integers = new Int32Array(workerData), floats = new Float64Array(workerData), bytes = new Uint8Array(workerData)
      let version = 0
      const rewrite = () => {
        for (let turn = 0; turn < 20000; turn++) {
          version += 1
          Atomics.store(integers, 0, 0)
          const id = String(version).padStart(36, '0')
          for (let index = 0; index < 36; index++) bytes[24 + index] = id.charCodeAt(index)
          integers[1] = 36
          floats[1] = version
          floats[2] = version
          Atomics.store(integers, 0, version)
        }
        setImmediate(rewrite)
      }
      rewrite()`,
      { eval: true, workerData: leases.buffer },
    )
    onTestFinished(async () => void (await writer.terminate()))
    const seen = []
    while (seen.length < 3_000) seen.push(...readSharedLeases(leases.buffer))
    expect(seen.filter(({ id, version, confirmedAt }) => Number(id) !== version || confirmedAt !== version)).toEqual([])
  })
})

describe('a heartbeat loop with shared leases', () => {
  it('extends those that are held when a heartbeat is sent, and no others', async () => {
    const clock = new TestClock()
    const shared = new SharedLeases()
    const sent: string[][] = []
    const loop = new HeartbeatLoop({
      queue: {
        async heartbeat({ leases }) {
          sent.push(leases.map(({ id }) => id))
          return { extended: leases.map(({ id }) => id), lost: [], cancelled: [], draining: false }
        },
        fail: () => Promise.reject(new Error('not used')),
      },
      ...{ worker: 'w', leaseMs: 30_000, beatMs: 10_000, abortAfterMs: 27_000, clock },
      sharedLeases: () => readSharedLeases(shared.buffer),
      onHeartbeat: () => {},
      onError: (error) => {
        throw error
      },
    })
    const [short, long] = [lease(), lease()]
    shared.hold(short, clock.monotonic())
    shared.hold(long, clock.monotonic())
    shared.drop(short)
    await clock.advance(10_000)
    shared.drop(long)
    await clock.advance(10_000)
    expect(sent).toEqual([[long.id], []])
    await loop.stop()
  })

  it('reports a lease that the queue does not confirm in time', async () => {
    const clock = new TestClock()
    const shared = new SharedLeases()
    const expired: unknown[] = []
    const loop = new HeartbeatLoop({
      queue: {
        heartbeat: () => Promise.reject(new Error('no connection')),
        fail: () => Promise.reject(new Error('not used')),
      },
      ...{ worker: 'w', leaseMs: 30_000, beatMs: 10_000, abortAfterMs: 27_000, clock },
      sharedLeases: () => readSharedLeases(shared.buffer),
      onHeartbeat: (report) => expired.push(...report.expired),
      onError: () => {},
    })
    const held = lease()
    shared.hold(held, clock.monotonic())
    await clock.advance(26_000)
    expect(expired).toEqual([])
    await clock.advance(1_000)
    expect(expired).toEqual([held])
    await loop.stop()
  })
})

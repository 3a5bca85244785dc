/** Leases in memory that a worker shares with its heartbeat thread. */
import { Worker } from 'node:worker_threads'
import { describe, expect, it, onTestFinished } from 'vitest'
import { newId } from '../../../server/base/ids.ts'
import { HeartbeatLoop } from '../../../server/worker/heartbeats/heartbeats.ts'
import { LateReleases } from '../../../server/worker/heartbeats/late-releases.ts'
import { readSharedLeases, releaseWaiting, SharedLeases } from '../../../server/worker/heartbeats/shared-leases.ts'
import { QueueError } from '../../../shared/errors.ts'
import { compiled } from '../../support/compiled/compiled.ts'
import { TestClock } from '../../support/test-clock.ts'

const lease = (version = 1) => ({ id: newId(), version })

describe('shared leases', () => {
  it('are read as they were written', () => {
    const leases = new SharedLeases()
    const [one, other] = [lease(), lease(2 ** 40)]
    leases.hold(one, 1.5)
    leases.hold(other, 2.25)
    expect(readSharedLeases(leases.buffer)).toMatchObject([
      { ...one, confirmedAt: 1.5 },
      { ...other, confirmedAt: 2.25 },
    ])
    expect(leases.drop(one)).toBe(true)
    expect(leases.drop(one)).toBe(false)
    expect(readSharedLeases(leases.buffer)).toMatchObject([{ ...other, confirmedAt: 2.25 }])
  })

  it('two versions of a job have a row each', () => {
    const leases = new SharedLeases()
    const { id } = lease()
    leases.hold({ id, version: 1 }, 1)
    leases.hold({ id, version: 2 }, 2)
    leases.drop({ id, version: 1 })
    expect(readSharedLeases(leases.buffer)).toMatchObject([{ id, version: 2, confirmedAt: 2 }])
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
    expect(readSharedLeases(leases.buffer)).toMatchObject([{ ...one, confirmedAt: 5 }])
  })

  it('a reader never sees a mixture of two leases', async () => {
    const leases = new SharedLeases()
    // Rewrites one row in a loop. The id of version n is n, padded.
    const writer = new Worker(compiled('test/worker/heartbeats/lease-writer-program'), { workerData: leases.buffer })
    onTestFinished(async () => void (await writer.terminate()))
    const seen = []
    while (seen.length < 3_000) seen.push(...readSharedLeases(leases.buffer))
    expect(seen.filter(({ id, version, confirmedAt }) => Number(id) !== version || confirmedAt !== version)).toEqual([])
  })
})

describe('waiting leases', () => {
  it('a waiting lease is either taken over for a start or released', () => {
    const leases = new SharedLeases()
    const [started, late, recent, running] = [lease(), lease(), lease(), lease()]
    leases.wait(started, 1, 10)
    leases.wait(late, 1, 10)
    leases.wait(recent, 1, 11)
    leases.hold(running, 1)
    expect(leases.take(started)).toBe(true)
    expect(releaseWaiting(leases.buffer, 10)).toMatchObject([late])
    expect(leases.take(late)).toBe(false)
    expect(leases.take(recent)).toBe(true)
    expect(leases.take(running)).toBe(false)
    expect(leases.take(lease())).toBe(false)
    // Heartbeats do not extend a released lease.
    expect(readSharedLeases(leases.buffer)).toMatchObject([started, recent, running])
  })

  it('a new row of a released lease can be taken over', () => {
    const leases = new SharedLeases()
    const one = lease()
    leases.wait(one, 1, 10)
    releaseWaiting(leases.buffer, 10)
    leases.drop(one)
    leases.wait({ ...one, version: 2 }, 1, 20)
    expect(releaseWaiting(leases.buffer, 10)).toEqual([])
    expect(leases.take({ ...one, version: 2 })).toBe(true)
  })

  it('are released once, again after a failed call and again by a restarted thread', async () => {
    const clock = new TestClock()
    const leases = new SharedLeases()
    const one = lease()
    leases.wait(one, clock.monotonic(), clock.monotonic())
    const [calls, errors]: [unknown[], unknown[]] = [[], []]
    let error: Error | null = new Error('no connection')
    const queue = {
      async release(input: unknown) {
        calls.push(input)
        if (error) throw error
        return { ...one, status: 'pending' as const, runAt: 0, repeated: false }
      },
    }
    const open = () =>
      new LateReleases({ queue, leases: leases.buffer, clock, onError: (reported) => void errors.push(reported) })
    const first = open()
    await clock.advance(1_000)
    expect(calls).toEqual([])
    await clock.advance(250)
    expect(calls).toEqual([one])
    await clock.advance(250)
    expect(calls).toEqual([one, one])
    expect(errors).toEqual([error])
    error = null
    await clock.advance(1_000)
    expect(calls).toHaveLength(3)
    await first.stop()
    error = new QueueError('STALE_CLAIM', 'released before')
    const second = open()
    await clock.advance(1_000)
    expect(calls).toHaveLength(4)
    expect(errors).toHaveLength(1)
    await second.stop()
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

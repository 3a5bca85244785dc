/** Timeouts of attempts in the memory that a worker shares with its heartbeat thread. */
import { Worker } from 'node:worker_threads'
import { expect, it, onTestFinished, vi } from 'vitest'
import { systemClock } from '../../../server/base/clock.ts'
import { newId } from '../../../server/base/ids.ts'
import { threadFailsAt } from '../../../server/worker/heartbeats/attempt-timeouts.ts'
import { SharedLeases } from '../../../server/worker/heartbeats/shared-leases.ts'
import { CHECK_EVERY_MS, SharedTimeouts } from '../../../server/worker/heartbeats/shared-timeouts.ts'
import { heartbeatsInThread } from '../../../server/worker/heartbeats/thread-heartbeats.ts'
import { sqlite } from '../../support/places.ts'
import { TestClock } from '../../support/test-clock.ts'

const lease = () => ({ id: newId(), version: 3 })

function setUp() {
  const clock = new TestClock()
  const leases = new SharedLeases()
  const failed: unknown[] = []
  const errors: unknown[] = []
  const calls = { error: null as Error | null }
  const queue = {
    async fail(input: { id: string; version: number }) {
      failed.push(input)
      if (calls.error) throw calls.error
      return { id: input.id, version: input.version, status: 'retrying' as const, runAt: null, repeated: false }
    },
  }
  const hold = (one: { id: string; version: number }, timeoutMs: number) => {
    const now = clock.monotonic()
    leases.hold(one, now, { timeoutMs, failAt: threadFailsAt(now, timeoutMs) })
  }
  const open = () => {
    const timeouts = new SharedTimeouts({
      ...{ queue, leases: leases.buffer, clock },
      onError: (error) => errors.push(error),
    })
    onTestFinished(() => timeouts.stop())
    return timeouts
  }
  return { clock, leases, failed, errors, calls, hold, open }
}

it('attempts are failed between the timer of the worker and the deadline of the queue, each once', async () => {
  const { clock, failed, hold, open } = setUp()
  const [short, long] = [lease(), lease()]
  const timeouts = open()
  hold(long, 60_000)
  timeouts.checkAt(clock.monotonic() + 60_000)
  hold(short, 1_000)
  await clock.advance(949)
  expect(failed).toEqual([])
  await clock.advance(1)
  expect(failed).toEqual([{ ...short, error: 'Timed out after 1 s' }])
  await clock.advance(58_549)
  expect(failed).toHaveLength(1)
  await clock.advance(1)
  expect(failed.slice(1)).toEqual([{ ...long, error: 'Timed out after 60 s' }])
  await clock.advance(60_000)
  expect(failed).toHaveLength(2)
})

it('an attempt that starts after the first one is found without a message', async () => {
  const { clock, leases, failed, hold, open } = setUp()
  const [first, second, ended] = [lease(), lease(), lease()]
  const timeouts = open()
  hold(first, 1_000)
  timeouts.checkAt(clock.monotonic() + 950)
  leases.drop(first)
  await clock.advance(10 * CHECK_EVERY_MS + 7)
  hold(second, 1_000)
  hold(ended, 1_000)
  await clock.advance(900)
  leases.drop(ended)
  await clock.advance(50)
  expect(failed).toEqual([{ ...second, error: 'Timed out after 1 s' }])
})

it('an attempt that is due before the next regular check is failed in time', async () => {
  const { clock, leases, failed, open } = setUp()
  const one = lease()
  const timeouts = open()
  timeouts.checkAt(clock.monotonic() + 60_000)
  await clock.advance(CHECK_EVERY_MS)
  leases.hold(one, clock.monotonic(), { timeoutMs: 1_000, failAt: clock.monotonic() + 20 })
  timeouts.checkAt(clock.monotonic() + 20)
  await clock.advance(20)
  expect(failed).toMatchObject([one])
})

it('a restarted thread finds the attempts that are held, and reports calls that fail', async () => {
  const { clock, failed, errors, calls, hold, open } = setUp()
  const one = lease()
  hold(one, 5_000)
  calls.error = new Error('no connection')
  open()
  await clock.advance(4_750)
  expect(failed).toMatchObject([one])
  expect(errors).toEqual([calls.error])
})

it('leases without a timeout are never failed', async () => {
  const { clock, leases, failed, open } = setUp()
  leases.hold(lease(), clock.monotonic())
  leases.wait(lease(), clock.monotonic(), clock.monotonic())
  open().checkAt(clock.monotonic())
  await clock.advance(60_000)
  expect(failed).toEqual([])
})

it('the first attempt with a timeout costs a message, and others only if they are due before the next regular check', async () => {
  const place = await sqlite.create()
  const settings = { worker: 'w', leaseMs: 30_000, beatMs: 10_000, abortAfterMs: 27_000 }
  const messages = vi.spyOn(Worker.prototype, 'postMessage')
  onTestFinished(() => messages.mockRestore())
  const address = { url: place.url() }
  const heartbeats = heartbeatsInThread({ address, ...settings }, { onHeartbeat: () => {}, onError: () => {} })
  onTestFinished(() => heartbeats.stop())
  await heartbeats.ready
  const sent = () => messages.mock.calls.splice(0).map(([{ kind }]) => kind)
  sent()
  const now = systemClock.monotonic()
  const [first, ...others] = Array.from({ length: 200 }, lease)
  if (first) heartbeats.hold(first, now, 60_000)
  expect(sent()).toEqual(['check'])
  for (const one of others) heartbeats.hold(one, now, 1_000)
  for (const one of others) heartbeats.drop(one)
  expect(sent()).toEqual([])
  // Claims whose response took longer than half of their timeout.
  for (const one of others) heartbeats.hold(one, now - 800, 1_000)
  expect(sent()).toEqual(['check'])
})

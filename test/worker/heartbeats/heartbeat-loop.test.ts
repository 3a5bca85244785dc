/** Heartbeat loop: leases per call, lost leases, deadlines and timeouts. */
import { expect, it } from 'vitest'
import {
  HeartbeatLoop,
  type HeartbeatOptions,
  type HeartbeatReport,
  heartbeatIntervalMs,
} from '../../../server/worker/heartbeats/heartbeats.ts'
import { abortAfterMs } from '../../../server/worker/heartbeats/lease-deadlines.ts'
import { TestClock } from '../../support/test-clock.ts'

type Sent = Parameters<HeartbeatOptions['queue']['heartbeat']>[0]
type Response = Awaited<ReturnType<HeartbeatOptions['queue']['heartbeat']>>

const EXTENDED: Response = { extended: [], lost: [], cancelled: [], draining: false }

function loopOn(
  respond: (sent: Sent, signal: AbortSignal | undefined) => Promise<Response>,
  leaseMs = 3_000,
  deadlineMs: number | null = abortAfterMs(leaseMs),
) {
  const clock = new TestClock()
  const sent: Sent[] = []
  const reports: HeartbeatReport[] = []
  const failed: unknown[] = []
  const errors: unknown[] = []
  const loop = new HeartbeatLoop({
    queue: {
      heartbeat(input, { signal } = {}) {
        sent.push(input)
        return respond(input, signal)
      },
      async fail(input) {
        failed.push(input)
        return { id: input.id, version: input.version, status: 'retrying', runAt: null, repeated: false }
      },
    },
    ...{ worker: 'w', leaseMs, beatMs: leaseMs / 3, abortAfterMs: deadlineMs, clock },
    onHeartbeat: (report) => reports.push(report),
    onError: (error) => errors.push(error),
  })
  return { clock, loop, sent, failed, reports, errors }
}

it('the heartbeat loop reports a lease as lost when the same worker holds a newer version of the job', async () => {
  const { clock, loop, sent, reports } = loopOn(async () => EXTENDED)
  loop.hold({ id: 'a', version: 1 }, clock.monotonic())
  loop.hold({ id: 'b', version: 7 }, clock.monotonic())
  loop.hold({ id: 'a', version: 2 }, clock.monotonic())
  await clock.advance(1_000)
  expect(reports[0]).toMatchObject({ lost: [{ id: 'a', version: 1 }] })
  expect(sent[0]?.leases).toEqual([
    { id: 'b', version: 7 },
    { id: 'a', version: 2 },
  ])
  await loop.stop()
})

it('the heartbeat loop keeps a newer lease when the response reports the loss of an older one', async () => {
  const { clock, loop, sent, reports } = loopOn(async (input) => {
    if (input.leases[0]?.version !== 1) return EXTENDED
    // Claimed again before the response arrives.
    loop.hold({ id: 'a', version: 2 }, clock.monotonic())
    return { ...EXTENDED, lost: ['a'] }
  })
  loop.hold({ id: 'a', version: 1 }, clock.monotonic())
  await clock.advance(2_000)
  expect(reports.map(({ lost }) => lost)).toEqual([[{ id: 'a', version: 1 }], []])
  expect(sent.map(({ leases }) => leases)).toEqual([[{ id: 'a', version: 1 }], [{ id: 'a', version: 2 }]])
  await loop.stop()
})

/** A queue whose responses the test sends, in any order, or never. */
function slowLoop(leaseMs: number) {
  const calls: { readonly respond: (response: Response) => void; readonly signal: AbortSignal | undefined }[] = []
  const one = loopOn((_, signal) => new Promise((respond) => calls.push({ respond, signal })), leaseMs)
  return { ...one, calls }
}

it('the heartbeat loop reports a lease as expired when no response confirms it in time', async () => {
  const { clock, loop, reports } = slowLoop(10_000)
  loop.hold({ id: 'a', version: 3 }, clock.monotonic())
  await clock.advance(8_999)
  expect(reports).toEqual([])
  await clock.advance(1)
  expect(reports.map(({ expired }) => expired)).toEqual([[{ id: 'a', version: 3 }]])
  await clock.advance(60_000)
  expect(reports).toHaveLength(1)
  await loop.stop()
  expect(clock.pendingTimers).toBe(0)
})

it('the lease deadline counts from the time a heartbeat was sent, not from its response', async () => {
  const { clock, loop, reports, calls } = slowLoop(30_000)
  loop.hold({ id: 'a', version: 3 }, clock.monotonic())
  await clock.advance(10_000)
  await clock.advance(400)
  calls[0]?.respond({ ...EXTENDED, extended: ['a'] })
  await clock.advance(26_599)
  expect(reports.flatMap(({ expired }) => expired)).toEqual([])
  await clock.advance(1)
  expect(reports.flatMap(({ expired }) => expired)).toEqual([{ id: 'a', version: 3 }])
  await loop.stop()
})

it('the heartbeat loop sends three heartbeats per lease, and at least one every ten seconds by default', () => {
  expect([3_000, 30_000, 3_600_000].map((leaseMs) => heartbeatIntervalMs(leaseMs))).toEqual([1_000, 10_000, 10_000])
  expect([heartbeatIntervalMs(3_600_000, 60_000), heartbeatIntervalMs(3_000, 60_000)]).toEqual([60_000, 1_000])
})

it('the heartbeat loop leaves at least 250 ms of the lease for the abort', () => {
  expect([1_000, 2_000, 2_500, 30_000].map(abortAfterMs)).toEqual([750, 1_750, 2_250, 27_000])
})

it('the heartbeat loop has no local deadline for an embedded queue', async () => {
  const { clock, loop, reports } = loopOn(() => new Promise(() => {}), 3_000, null)
  loop.hold({ id: 'a', version: 1 }, clock.monotonic())
  await clock.advance(60_000)
  expect(reports).toEqual([])
  await loop.stop()
})

it('the heartbeat loop repeats a heartbeat without a response, and reports one failure per third of the lease', async () => {
  const { clock, loop, errors, calls } = slowLoop(30_000)
  await clock.advance(10_000)
  expect(calls).toHaveLength(1)
  await clock.advance(2_000)
  expect(calls).toHaveLength(5)
  await clock.advance(8_000)
  expect(calls[0]?.signal?.aborted).toBe(true)
  await clock.advance(5_000)
  expect(errors).toEqual([new Error('No response to a heartbeat within 10000 ms.')])
  await loop.stop()
})

it('the heartbeat loop reports a recovery when a later call responds first, and aborts earlier calls', async () => {
  const { clock, loop, reports, errors, calls } = slowLoop(30_000)
  await clock.advance(11_000)
  calls[2]?.respond(EXTENDED)
  await clock.advance(0)
  expect(reports.map(({ isRecovery }) => isRecovery)).toEqual([true])
  expect(calls.map(({ signal }) => signal?.aborted)).toEqual([true, true, false])
  await clock.advance(10_000)
  calls[3]?.respond(EXTENDED)
  await clock.advance(0)
  expect(reports.map(({ isRecovery }) => isRecovery)).toEqual([true, false])
  expect(errors).toEqual([])
  await loop.stop()
  expect(clock.pendingTimers).toBe(0)
})

it('the heartbeat loop fails a timed-out attempt before the deadline of the queue, unless it is settled', async () => {
  const { clock, loop, failed } = loopOn(async () => EXTENDED)
  for (const id of ['a', 'b']) loop.hold({ id, version: 2 }, clock.monotonic(), 1_000)
  loop.drop({ id: 'b', version: 2 })
  await clock.advance(949)
  expect(failed).toEqual([])
  await clock.advance(1)
  expect(failed).toEqual([{ id: 'a', version: 2, error: 'Timed out after 1 s' }])
  await loop.stop()
})

it('the timeout counts from the start of the attempt, even if the lease was confirmed since', async () => {
  const { clock, loop, failed } = loopOn(async () => EXTENDED)
  const startedAt = clock.monotonic()
  await clock.advance(600)
  loop.hold({ id: 'a', version: 2 }, clock.monotonic(), 1_000, startedAt)
  await clock.advance(349)
  expect(failed).toEqual([])
  await clock.advance(1)
  expect(failed).toEqual([{ id: 'a', version: 2, error: 'Timed out after 1 s' }])
  await loop.stop()
})

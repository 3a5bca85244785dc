/** The heartbeat loop: which leases one call names, and whose loss each response reports. */
import { expect, it } from 'vitest'
import { HeartbeatLoop, type HeartbeatParts, type Pulse } from '../../server/worker/heartbeats.ts'
import { TestClock } from '../support/test-clock.ts'

type Sent = Parameters<HeartbeatParts['queue']['heartbeat']>[0]
type Response = Awaited<ReturnType<HeartbeatParts['queue']['heartbeat']>>

const EXTENDED: Response = { extended: [], lost: [], cancelled: [], draining: false }

function loopOn(respond: (sent: Sent) => Promise<Response>, leaseMs = 3_000) {
  const clock = new TestClock()
  const sent: Sent[] = []
  const pulses: Pulse[] = []
  const errors: unknown[] = []
  const loop = new HeartbeatLoop({
    queue: {
      heartbeat(input) {
        sent.push(input)
        return respond(input)
      },
    },
    ...{ worker: 'w', leaseMs, beatMs: leaseMs / 3, clock },
    onPulse: (pulse) => pulses.push(pulse),
    onError: (error) => errors.push(error),
  })
  return { clock, loop, sent, pulses, errors }
}

it('reports a lease as lost when the same worker holds a newer version of the job', async () => {
  const { clock, loop, sent, pulses } = loopOn(async () => EXTENDED)
  loop.hold({ id: 'a', version: 1 })
  loop.hold({ id: 'b', version: 7 })
  loop.hold({ id: 'a', version: 2 })
  await clock.advance(1_000)
  expect(pulses[0]).toMatchObject({ lost: [{ id: 'a', version: 1 }] })
  expect(sent[0]?.leases).toEqual([
    { id: 'b', version: 7 },
    { id: 'a', version: 2 },
  ])
  await loop.stop()
})

it('keeps a newer lease when the response reports the loss of an older one', async () => {
  const { clock, loop, sent, pulses } = loopOn(async (input) => {
    if (input.leases[0]?.version !== 1) return EXTENDED
    // Claimed again while the response is on its way.
    loop.hold({ id: 'a', version: 2 })
    return { ...EXTENDED, lost: ['a'] }
  })
  loop.hold({ id: 'a', version: 1 })
  await clock.advance(2_000)
  expect(pulses.map(({ lost }) => lost)).toEqual([[{ id: 'a', version: 1 }], []])
  expect(sent.map(({ leases }) => leases)).toEqual([[{ id: 'a', version: 1 }], [{ id: 'a', version: 2 }]])
  await loop.stop()
})

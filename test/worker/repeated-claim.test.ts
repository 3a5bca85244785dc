/** A claim without a response is repeated until it has one, whatever the worker sends in between. */
import { expect, it } from 'vitest'
import { QueueError } from '../../server/index.ts'
import { openWorker } from '../../server/worker/start-worker.ts'
import type { Queue } from '../../shared/queue.ts'
import { add, describeEngine } from '../support/engine.ts'
import { gated } from '../support/worker.ts'

const LEASE_MS = 60_000

describeEngine('a claim whose response is lost', (open) => {
  it('a lost claim is repeated after a call that only settled', async () => {
    const { engine, clock } = await open()
    const state = { isLosing: false, refusals: 0, settledAlone: 0 }
    const unreachable = () => new QueueError('UNREACHABLE', 'no connection')
    const queue: Queue = {
      ...engine,
      address: { url: 'http://elsewhere.example' },
      exchange: async (input, context) => {
        const response = await engine.exchange(input, context)
        if (!input.claim) state.settledAlone += 1
        if (!state.isLosing || response.jobs.length === 0) return response
        state.isLosing = false
        state.refusals = 1
        throw unreachable()
      },
    }
    const gate = gated('done')
    // Until its declarations are stored, a worker settles but does not claim.
    const prepare = async () => {
      if (state.refusals-- <= 0) return
      gate.open()
      throw unreachable()
    }
    const options = { name: 'w', clock, random: () => 0.5, leaseMs: LEASE_MS, concurrency: 2 }
    const worker = openWorker(queue, { mail: gate.handler }, options, { prepare })
    worker.events.onAny(() => {})
    await add(engine)
    await clock.advance(0)
    expect(gate.waiting).toBe(1)
    state.isLosing = true
    const second = await add(engine)
    await clock.advance(0)
    expect(await engine.get({ id: second })).toMatchObject({ status: 'processing', version: 1 })
    await clock.advance(LEASE_MS / 4)
    expect(state.settledAlone).toBe(1)
    expect(gate.waiting).toBe(1)
    gate.open()
    await clock.advance(0)
    expect(await engine.get({ id: second })).toMatchObject({ status: 'completed', version: 1, crashes: 0 })
    const stopping = worker.stop({ graceMs: 0 })
    await clock.advance(0)
    await stopping
  })
})

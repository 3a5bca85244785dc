/** Worker without a connection to its queue: aborts of handlers and outcomes of their jobs. */
import { describe, expect, it } from 'vitest'
import { QueueError } from '../../server/index.ts'
import type { Handler } from '../../server/worker/jobs/handler.ts'
import { UnrecoverableError } from '../../server/worker/jobs/handler-errors.ts'
import type { Queue } from '../../shared/queue.ts'
import { add, describeEngine, type Opened, take } from '../support/engine.ts'
import { gated, withWorker } from '../support/worker.ts'

const LEASE_MS = 10_000
const OPTIONS = { leaseMs: LEASE_MS, concurrency: 1 }

/** A remote queue whose connection can be cut: calls fail and do not reach the queue. */
function cutQueue({ engine }: Opened) {
  const line = { isCut: false }
  const pass = async <Answer>(call: () => Promise<Answer>): Promise<Answer> => {
    if (line.isCut) throw new QueueError('UNREACHABLE', 'no connection')
    return call()
  }
  const queue: Queue = {
    ...engine,
    address: { url: 'http://elsewhere.example' },
    exchange: (input, context) => pass(() => engine.exchange(input, context)),
    heartbeat: (input) => pass(() => engine.heartbeat(input)),
    log: (input) => pass(() => engine.log(input)),
    progress: (input) => pass(() => engine.progress(input)),
  }
  return { queue, line }
}

/** Records its abort and ends as the test decides. */
function recorded() {
  const gate = gated<unknown>('done')
  const signals: AbortSignal[] = []
  const mail: Handler = ({ signal }) => {
    signals.push(signal)
    return gate.handler()
  }
  return { gate, mail, signals }
}

describeEngine('a worker without a connection to its queue', (open) => {
  it('a disconnected worker aborts its handler before the lease expires', async () => {
    const opened = await open()
    const { engine, clock } = opened
    const { queue, line } = cutQueue(opened)
    const { mail, signals } = recorded()
    await add(engine)
    await withWorker({ queue, clock }, { mail }, OPTIONS, async ({ lines }) => {
      await clock.advance(0)
      const { leaseUntil } = (await engine.list()).jobs[0] ?? {}
      line.isCut = true
      await clock.advance(8_999)
      expect(signals[0]?.aborted).toBe(false)
      await clock.advance(1)
      expect(signals[0]?.reason).toMatchObject({ name: 'AbortError', reason: 'disconnected' })
      expect(clock.now()).toBeLessThan(leaseUntil ?? 0)
      expect(lines()).toContain('aborted mail: its lease was not confirmed in time')
      line.isCut = false
      await clock.advance(1_000)
    })
  })

  it('a disconnected worker releases the job without counting the attempt when its handler throws and the claim is current', async () => {
    const opened = await open()
    const { engine, clock } = opened
    const { queue, line } = cutQueue(opened)
    const { gate, mail } = recorded()
    const id = await add(engine)
    await withWorker({ queue, clock }, { mail }, OPTIONS, async ({ worker, lines }) => {
      await clock.advance(0)
      line.isCut = true
      await clock.advance(9_000)
      gate.fail(new Error('aborted'))
      worker.hold()
      await clock.advance(20_000)
      expect(await engine.get({ id })).toMatchObject({ status: 'processing', version: 1 })
      line.isCut = false
      await clock.advance(1_000)
      expect(await engine.get({ id })).toMatchObject({ status: 'pending', attempts: 0, crashes: 0, version: 1 })
      expect(lines()).toContain('released mail')
    })
  })

  it('a disconnected worker completes the job when its handler returns and the claim is current', async () => {
    const opened = await open()
    const { engine, clock } = opened
    const { queue, line } = cutQueue(opened)
    const { gate, mail } = recorded()
    const id = await add(engine)
    await withWorker({ queue, clock }, { mail }, OPTIONS, async () => {
      await clock.advance(0)
      line.isCut = true
      await clock.advance(20_000)
      gate.open()
      await clock.advance(5_000)
      line.isCut = false
      await clock.advance(1_000)
      expect(await engine.get({ id })).toMatchObject({ status: 'completed', result: 'done', attempts: 1, version: 1 })
    })
  })

  it('a disconnected worker keeps an outcome error that its handler throws', async () => {
    const opened = await open()
    const { engine, clock } = opened
    const { queue, line } = cutQueue(opened)
    const { gate, mail } = recorded()
    const id = await add(engine)
    await withWorker({ queue, clock }, { mail }, OPTIONS, async () => {
      await clock.advance(0)
      line.isCut = true
      await clock.advance(9_000)
      gate.fail(new UnrecoverableError('no such user'))
      line.isCut = false
      await clock.advance(1_000)
      expect(await engine.get({ id })).toMatchObject({ status: 'failed', error: 'no such user' })
    })
  })

  it('a disconnected worker does not change a job that another worker has claimed', async () => {
    const opened = await open()
    const { engine, clock } = opened
    const { queue, line } = cutQueue(opened)
    const { gate, mail, signals } = recorded()
    const id = await add(engine, { maxAttempts: 5 })
    engine.start()
    await withWorker({ queue, clock }, { mail }, OPTIONS, async ({ lines }) => {
      await clock.advance(0)
      line.isCut = true
      await clock.advance(9_000)
      expect([signals[0]?.aborted, (await engine.get({ id })).lockedBy]).toEqual([true, 'w'])
      await clock.advance(1_000)
      const taken = await take(engine, { worker: 'other', leaseMs: 60_000 })
      gate.open()
      line.isCut = false
      await clock.advance(1_000)
      expect(lines().filter((one) => one.startsWith('skipped'))).toHaveLength(1)
      expect(await engine.get({ id })).toMatchObject({
        status: 'processing',
        lockedBy: 'other',
        version: taken.version,
      })
    })
  })

  it('a worker does not start a job whose claim response arrives too late', async () => {
    const opened = await open()
    const { engine, clock } = opened
    const gate = { deliver: () => {} }
    const queue: Queue = {
      ...engine,
      address: { url: 'http://elsewhere.example' },
      async exchange(input, context) {
        const answer = await engine.exchange(input, context)
        if (answer.jobs.length > 0) await new Promise<void>((resolve) => (gate.deliver = resolve))
        return answer
      },
    }
    let runs = 0
    const mail = () => {
      runs += 1
    }
    await withWorker({ queue, clock }, { mail }, { ...OPTIONS, waitMs: 30_000 }, async ({ worker }) => {
      await clock.advance(5_000)
      const id = await add(engine)
      await clock.advance(9_000)
      worker.hold()
      gate.deliver()
      await clock.advance(0)
      expect(runs).toBe(0)
      expect(await engine.get({ id })).toMatchObject({ status: 'pending', attempts: 0 })
    })
  })

  it('a worker starts a job of a waiting claim, however long the claim has waited', async () => {
    const opened = await open()
    const { engine, clock } = opened
    const { queue } = cutQueue(opened)
    await withWorker({ queue, clock }, { mail: () => 'done' }, { ...OPTIONS, waitMs: 30_000 }, async () => {
      await clock.advance(25_000)
      const id = await add(engine)
      await clock.advance(0)
      expect(await engine.get({ id })).toMatchObject({ status: 'completed' })
    })
  })
})

describe('an embedded queue', () => {
  describeEngine('in one process', (open) => {
    it('a worker on an embedded queue does not abort a handler when a blocked event loop delays heartbeats', async () => {
      const { engine, clock } = await open()
      const { gate, mail, signals } = recorded()
      const id = await add(engine)
      await withWorker({ queue: { ...engine, address: null }, clock }, { mail }, OPTIONS, async () => {
        await clock.advance(0)
        clock.stall(15_000)
        await clock.advance(0)
        expect(signals[0]?.aborted).toBe(false)
        gate.open()
        await clock.advance(0)
        expect(await engine.get({ id })).toMatchObject({ status: 'completed' })
      })
    })
  })
})

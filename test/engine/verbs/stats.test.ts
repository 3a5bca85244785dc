/** Statistics of a known history: exact counts, throughput, latency, and minutes for charts. */
import { expect, it } from 'vitest'
import type { Engine } from '../../../server/engine/engine.ts'
import type { ClaimedJob } from '../../../shared/job.ts'
import { MINUTE, SECOND } from '../../../shared/limits.ts'
import { emptyCounts } from '../../../shared/status.ts'
import { add, addMany, describeEngine, held, type Opened, refused, started, take } from '../../support/engine.ts'
import { START } from '../../support/test-clock.ts'

const at = ({ id, version }: ClaimedJob) => ({ id, version })

/** Ten minutes of a small queue with known numbers. */
async function live({ engine, clock }: Opened): Promise<void> {
  await addMany(engine, 4)
  await add(engine, { type: 'call' })
  await clock.advance(8 * SECOND)
  const [first, second, third] = [await take(engine), await take(engine), await take(engine)]
  await clock.advance(2 * SECOND)
  await engine.complete(at(first))
  await engine.fail({ ...at(second), error: 'no route', retryInMs: 10 * MINUTE })
  await engine.fail({ ...at(third), error: 'no route', retry: false })
  await clock.advance(5 * MINUTE)
  const fourth = await take(engine, { types: ['mail'] })
  await engine.release(at(fourth))
  await engine.cancel({ id: fourth.id })
  await add(engine, { delayMs: 10 * MINUTE })
  await take(engine, { types: ['call'] })
}

const minuteOf = (ms: number) => Math.floor(ms / MINUTE)

async function rows(engine: Engine, input: { minutes?: number; type?: string } = {}) {
  const history = await engine.history(input)
  return history.map((row) => [row.minute, row.type, row.enqueued, row.completed, row.failed, row.dead])
}

describeEngine('stats', (open) => {
  it('stats are all zero in an empty queue', async () => {
    const { engine } = await open()
    const none = { p50: null, p95: null, p99: null }
    expect(await engine.stats()).toEqual({
      counts: emptyCounts(),
      byType: {},
      oldestReadyMs: null,
      oldestReady: null,
      oldestReadyMsByType: {},
      throughput: { windowMs: 15 * MINUTE, enqueued: 0, completed: 0, failed: 0, dead: 0 },
      latency: { wait: none, run: none },
      allTime: null,
    })
    expect((await engine.stats({ allTime: true })).allTime).toEqual({ completed: 0, failed: 0, runMs: 0 })
    expect(await engine.history()).toEqual([])
  })

  it('stats sum all attempts on request, with the duration that the worker measured', async () => {
    const { engine, clock } = await open()
    await addMany(engine, 3)
    const [first, second, third] = [await take(engine), await take(engine), await take(engine)]
    await clock.advance(2 * SECOND)
    await engine.complete({ ...at(first), durationMs: 22 })
    await engine.fail({ ...at(second), error: 'no', durationMs: 7.4 })
    await engine.exchange({ worker: 'worker-1', settle: [{ kind: 'complete', ...at(third) }] })
    await engine.remove({ id: first.id })
    await clock.advance(60 * MINUTE)
    const sums = { completed: 2, failed: 1, runMs: 22 + 7 + 2_000 }
    expect((await engine.stats({ allTime: true, type: 'mail' })).allTime).toEqual(sums)
    expect((await engine.stats({ allTime: true, type: 'call' })).allTime).toEqual({ completed: 0, failed: 0, runMs: 0 })
  })

  it('stats count every job once, by status and type', async () => {
    const opened = await open()
    await live(opened)
    const { counts, byType, throughput } = await opened.engine.stats()
    const mail = { ...emptyCounts(), scheduled: 1, retrying: 1, completed: 1, failed: 1, cancelled: 1 }
    const call = { ...emptyCounts(), processing: 1 }
    expect([byType.mail, byType.call]).toEqual([mail, call])
    expect(counts).toEqual({ ...mail, processing: 1 })
    expect(throughput).toEqual({ windowMs: 15 * MINUTE, enqueued: 6, completed: 1, failed: 2, dead: 1 })
  })

  it('stats can be limited to one type', async () => {
    const opened = await open()
    await live(opened)
    const { counts, byType, throughput } = await opened.engine.stats({ type: 'call' })
    expect(counts).toEqual({ ...emptyCounts(), processing: 1 })
    expect([Object.keys(byType), throughput.enqueued]).toEqual([['call'], 1])
    expect((await opened.engine.stats({ type: 'fax' })).counts).toEqual(emptyCounts())
    expect((await refused(opened.engine.stats({ type: '' }))).code).toBe('BAD_INPUT')
  })

  it('stats measure how long jobs wait and run', async () => {
    const { engine, clock } = await open()
    await addMany(engine, 100)
    await clock.advance(3 * SECOND)
    const jobs = await engine.claim({ worker: 'worker-1', limit: 100 })
    await clock.advance(200)
    await engine.exchange({ worker: 'worker-1', settle: jobs.map((job) => ({ kind: 'complete', ...at(job) })) })
    const { wait, run } = (await engine.stats()).latency
    // Buckets of doubling width: 3 s lies between 2,048 and 4,096 ms, 200 ms between 128 and 256.
    for (const value of [wait.p50, wait.p95, wait.p99])
      expect(value).toSatisfy((ms: number) => ms > 2_047 && ms <= 4_096)
    for (const value of [run.p50, run.p95, run.p99]) expect(value).toSatisfy((ms: number) => ms > 127 && ms <= 256)
    expect(wait.p50).toBeLessThan(wait.p99 ?? 0)
  })

  it('stats contain the age of the oldest ready job', async () => {
    const { engine, clock } = await open()
    await add(engine, { priority: 1 })
    await clock.advance(5 * SECOND)
    await add(engine, { priority: 9 })
    await add(engine, { type: 'call' })
    await clock.advance(SECOND)
    await add(engine, { type: 'later', delayMs: MINUTE })
    await held(engine, { type: 'taken' })
    const ages = async (input = {}) => {
      const { oldestReadyMs, oldestReadyMsByType } = await engine.stats(input)
      return [oldestReadyMs, oldestReadyMsByType]
    }
    expect(await ages()).toEqual([6 * SECOND, { mail: 6 * SECOND, call: SECOND }])
    expect(await ages({ type: 'call' })).toEqual([SECOND, { call: SECOND }])
    expect(await ages({ type: 'taken' })).toEqual([null, {}])
  })

  it('stats name the type of the oldest ready job, and leave out paused types', async () => {
    const { engine, clock } = await open()
    await add(engine)
    await clock.advance(5 * SECOND)
    await add(engine, { type: 'call' })
    await clock.advance(SECOND)
    const read = async () => {
      const { oldestReady, oldestReadyMs, oldestReadyMsByType } = await engine.stats()
      expect(oldestReadyMs).toBe(oldestReady?.ms ?? null)
      expect(oldestReadyMsByType).toEqual({ mail: 6 * SECOND, call: SECOND })
      return [oldestReady, Object.fromEntries((await engine.levels()).oldestReadyMs)]
    }
    const both = [
      { type: 'mail', ms: 6 * SECOND },
      { mail: 6 * SECOND, call: SECOND },
    ]
    expect(await read()).toEqual(both)
    await engine.pauseType({ name: 'mail' })
    expect(await read()).toEqual([{ type: 'call', ms: SECOND }, { call: SECOND }])
    await engine.pause()
    expect(await read()).toEqual([null, {}])
    await engine.resume()
    await engine.resumeType({ name: 'mail' })
    expect(await read()).toEqual(both)
    await engine.declareTypes({ types: [{ name: 'mail', settings: { paused: true } }] })
    await engine.updateType({ name: 'mail', clear: ['paused'] })
    expect(await read()).toEqual([{ type: 'call', ms: SECOND }, { call: SECOND }])
  })

  it('stats leave out events older than their window', async () => {
    const opened = await open()
    await live(opened)
    await opened.clock.advance(20 * MINUTE)
    const { throughput, latency } = await opened.engine.stats()
    expect(throughput).toEqual({ windowMs: 15 * MINUTE, enqueued: 0, completed: 0, failed: 0, dead: 0 })
    expect(latency.wait.p50).toBeNull()
  })

  it('history returns the minutes with activity', async () => {
    const opened = await open()
    await live(opened)
    const first = minuteOf(START)
    expect(await rows(opened.engine)).toEqual([
      [first, 'call', 1, 0, 0, 0],
      [first, 'mail', 4, 1, 2, 1],
      [first + 5, 'call', 0, 0, 0, 0],
      [first + 5, 'mail', 1, 0, 0, 0],
    ])
    expect(await rows(opened.engine, { type: 'call' })).toEqual([
      [first, 'call', 1, 0, 0, 0],
      [first + 5, 'call', 0, 0, 0, 0],
    ])
    expect(await rows(opened.engine, { minutes: 5, type: 'mail' })).toEqual([[first + 5, 'mail', 1, 0, 0, 0]])
    await opened.clock.advance(MINUTE)
    expect(await rows(opened.engine, { minutes: 1 })).toEqual([])
  })

  it('stats count a rescue as a failed attempt, and a job over its crash budget as dead', async () => {
    const { engine, clock } = await started(open({ defaults: { maxAttempts: 1 } }))
    await add(engine)
    await take(engine, { leaseMs: SECOND })
    await clock.advance(SECOND)
    const { throughput, counts } = await engine.stats()
    expect([throughput.failed, throughput.dead, counts.failed]).toEqual([1, 1, 1])
  })

  it('stats agree between two engines that write at the same time', async () => {
    const { engine, another } = await open()
    const { engine: other } = await another()
    for (let n = 0; n < 10; n++)
      await Promise.all([add(engine), add(other), engine.claim({ worker: 'w', settle: true })])
    const [mine, theirs] = [await engine.stats(), await other.stats()]
    expect(theirs).toEqual(mine)
    expect(mine.counts.pending + mine.counts.completed).toBe(20)
    expect(mine.throughput).toMatchObject({ enqueued: 20, completed: mine.counts.completed })
  })
})

/** Fencing across engines: only the current claim may write, and an outcome is recorded once. */
import { expect, it } from 'vitest'
import type { Engine } from '../../../server/engine/engine.ts'
import { SECOND } from '../../../shared/limits.ts'
import { add, describeEngine, held, type Open, refused, started, take } from '../../support/engine.ts'

async function openTwo(open: Open) {
  const first = await open()
  const { engine: other } = await first.another()
  return { ...first, other }
}

/** Calls every verb of a worker for a claim, and returns the error codes. */
async function callEveryVerb(engine: Engine, claim: { readonly id: string; readonly version: number }) {
  const lease = { id: claim.id, version: claim.version }
  const calls = [
    engine.complete({ ...lease, result: 'stale' }),
    engine.fail({ ...lease, error: 'stale' }),
    engine.release({ ...lease, delayMs: 5_000 }),
    engine.progress({ ...lease, progress: 99 }),
    engine.log({ ...lease, lines: [{ line: 'stale' }] }),
  ]
  const codes = (await Promise.all(calls.map(refused))).map(({ code }) => code)
  const { lost } = await engine.heartbeat({ worker: 'worker-1', leases: [lease], leaseMs: 60 * SECOND })
  return { codes: new Set(codes), lost }
}

describeEngine('fencing across engines', (open) => {
  it('a worker can settle through another engine than it claimed from', async () => {
    const { engine, other } = await openTwo(open)
    const job = await held(engine)
    expect(await other.complete({ id: job.id, version: job.version, result: 1 })).toMatchObject({ status: 'completed' })
    expect(await engine.complete({ id: job.id, version: job.version, result: 2 })).toMatchObject({ repeated: true })
    expect((await engine.get({ id: job.id })).result).toBe(1)
    expect((await engine.stats()).counts).toMatchObject({ completed: 1, processing: 0 })
  })

  it('every verb refuses a claim that was taken over through another engine', async () => {
    const first = await open()
    const second = await started(first.another())
    const old = await held(first.engine, {}, { leaseMs: SECOND })
    await first.clock.advance(5 * SECOND)
    const current = await take(second.engine, { worker: 'worker-2' })
    const before = await second.engine.get({ id: current.id })
    expect(await callEveryVerb(first.engine, old)).toEqual({ codes: new Set(['STALE_CLAIM']), lost: [old.id] })
    expect(await second.engine.get({ id: current.id })).toEqual(before)
    expect(await second.engine.complete({ id: current.id, version: current.version })).toMatchObject({
      repeated: false,
    })
  })

  it('every verb refuses a claim of a job that has ended through another engine', async () => {
    const { engine, other } = await openTwo(open)
    const job = await held(engine)
    await other.cancel({ id: job.id })
    await other.release({ id: job.id, version: job.version })
    const { codes } = await callEveryVerb(engine, { id: job.id, version: job.version + 1 })
    expect([codes, (await engine.get({ id: job.id })).status]).toEqual([new Set(['STALE_CLAIM']), 'cancelled'])
    expect((await refused(engine.complete({ id: job.id, version: job.version }))).code).toBe('STALE_CLAIM')
  })

  it('every verb returns NOT_FOUND for a job that was removed through another engine', async () => {
    const { engine, other } = await openTwo(open)
    const job = await held(engine)
    await other.fail({ id: job.id, version: job.version, error: 'no route', retry: false })
    await other.remove({ id: job.id })
    const next = await add(other)
    expect((await callEveryVerb(engine, job)).codes).toEqual(new Set(['NOT_FOUND']))
    expect((await engine.get({ id: next })).status).toBe('pending')
  })

  it('only one outcome is recorded when both engines receive one at the same time', async () => {
    const { engine, other } = await openTwo(open)
    for (let n = 0; n < 20; n++) {
      const { id, version } = await held(engine)
      const calls = [
        engine.complete({ id, version, result: 'mine' }),
        other.fail({ id, version, error: 'theirs', retry: false }),
        other.complete({ id, version, result: 'theirs' }),
      ]
      const outcomes = await Promise.allSettled(calls)
      const fresh = outcomes.filter((one) => one.status === 'fulfilled' && !one.value.repeated)
      expect([fresh.length, (await engine.attempts({ id })).length]).toEqual([1, 1])
    }
    const { completed, failed, processing } = (await engine.stats()).counts
    expect([completed + failed, processing]).toEqual([20, 0])
  })

  it('simultaneous claims on both engines never return the same job', async () => {
    const { engine, other } = await openTwo(open)
    await Promise.all(Array.from({ length: 50 }, () => add(engine)))
    const claims = [engine, other, engine, other].map((one, n) => one.claim({ worker: `worker-${n}`, limit: 20 }))
    const jobs = (await Promise.all(claims)).flat()
    expect([jobs.length, new Set(jobs.map(({ id }) => id)).size]).toEqual([50, 50])
  })
})

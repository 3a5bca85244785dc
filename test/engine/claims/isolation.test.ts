/** Waiting claims and jobs with crashes, which run alone in their process. */
import { expect, it } from 'vitest'
import { SECOND } from '../../../shared/limits.ts'
import { add, describeEngine, held, type Opened, started, until } from '../../support/engine.ts'
import { settle } from '../../support/test-clock.ts'

/** A pending job whose worker was lost. */
async function crashed({ engine, clock }: Opened): Promise<string> {
  const { id } = await held(engine, { type: 'risky' }, { worker: 'lost', leaseMs: SECOND })
  await clock.advance(SECOND)
  await until(async () => (await engine.get({ id })).status === 'pending')
  return id
}

const claimOf = ({ id, version }: { readonly id: string; readonly version: number }) => ({ id, version })

describeEngine('waiting claims and a job with crashes', (open) => {
  it('a waiting claim gets a job with crashes once its worker has settled its last job', async () => {
    const opened = await started(open())
    const { engine } = opened
    const busy = [await held(engine, {}, { leaseMs: 60 * SECOND }), await held(engine, {}, { leaseMs: 60 * SECOND })]
    const suspect = await crashed(opened)
    const claim = engine.claim({ worker: 'worker-1', limit: 8, waitMs: 20 * SECOND })
    await until(() => engine.load.waitingClaims === 1)
    for (const job of busy) await engine.complete(claimOf(job))
    expect(await claim).toMatchObject([{ id: suspect, crashes: 1 }])
  })

  it('a worker that runs a job with crashes leaves new jobs to the next waiting claim', async () => {
    const opened = await started(open())
    const { engine } = opened
    const suspect = await crashed(opened)
    expect(await engine.claim({ worker: 'worker-1', limit: 8, leaseMs: 60 * SECOND })).toMatchObject([{ id: suspect }])
    const first = engine.claim({ worker: 'worker-1', limit: 8, waitMs: 20 * SECOND })
    await until(() => engine.load.waitingClaims === 1)
    const second = engine.claim({ worker: 'worker-2', waitMs: 20 * SECOND })
    await until(() => engine.load.waitingClaims === 2)
    // Woken by runNow and not by the enqueue, whose commit every waiting claim may join.
    const id = await add(engine, { delayMs: 600 * SECOND })
    await engine.runNow({ id })
    expect(await second).toMatchObject([{ id }])
    await opened.clock.advance(20 * SECOND)
    expect(await first).toEqual([])
  })

  it('a waiting claim is retried when another worker takes the job with crashes', async () => {
    const opened = await started(open())
    const { engine } = opened
    await held(engine, {}, { leaseMs: 600 * SECOND })
    const suspect = await crashed(opened)
    const good = await add(engine)
    const claim = engine.claim({ worker: 'worker-1', limit: 8, waitMs: 20 * SECOND })
    await until(() => engine.load.waitingClaims === 1)
    expect(await engine.claim({ worker: 'worker-2', leaseMs: 60 * SECOND })).toMatchObject([{ id: suspect }])
    await opened.clock.advance(SECOND)
    expect(await claim).toMatchObject([{ id: good }])
  })

  it('a waiting claim is not retried when another worker settles a job', async () => {
    const opened = await started(open())
    const { engine, store } = opened
    const suspect = await crashed(opened)
    expect(await engine.claim({ worker: 'worker-1', leaseMs: 600 * SECOND })).toMatchObject([{ id: suspect }])
    const others = [await held(engine, {}, { worker: 'worker-2' }), await held(engine, {}, { worker: 'worker-2' })]
    await add(engine, { type: 'left' })
    const claim = engine.claim({ worker: 'worker-1', waitMs: 20 * SECOND })
    await until(() => engine.load.waitingClaims === 1)
    const before = store.committed.length
    for (const job of others) await engine.complete(claimOf(job))
    await settle()
    const kinds = store.committed.slice(before).flatMap((ops) => ops.map(({ kind }) => kind))
    expect(kinds.filter((kind) => kind === 'claim' || kind === 'complete')).toEqual(['complete', 'complete'])
    await opened.clock.advance(20 * SECOND)
    expect(await claim).toEqual([])
  })

  it('an exchange settles the last job and claims the job with crashes', async () => {
    const opened = await started(open())
    const { engine } = opened
    const busy = await held(engine, {}, { leaseMs: 60 * SECOND })
    const suspect = await crashed(opened)
    const outcomes = [{ kind: 'complete' as const, ...claimOf(busy) }]
    const { jobs } = await engine.exchange({ worker: 'worker-1', settle: outcomes, claim: { limit: 8 } })
    expect(jobs).toMatchObject([{ id: suspect }])
  })
})

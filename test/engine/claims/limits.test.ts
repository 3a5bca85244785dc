/** Limits hold for the whole database: two engines that claim side by side never exceed them together. */
import { expect, it } from 'vitest'
import type { Engine } from '../../../server/engine/engine.ts'
import type { ClaimedJob } from '../../../shared/job.ts'
import { SECOND } from '../../../shared/limits.ts'
import { add, addMany, describeEngine, held, type Open } from '../../support/engine.ts'

async function openTwo(open: Open) {
  const first = await open()
  const second = await first.another()
  return { clock: first.clock, engine: first.engine, engines: [first.engine, second.engine] as const }
}

const claimBoth = async (engines: readonly Engine[], limit: number): Promise<ClaimedJob[]> => {
  const claims = engines.flatMap((engine, n) => [
    engine.claim({ worker: `worker-${n}`, limit }),
    engine.claim({ worker: `helper-${n}`, limit: 1 }),
  ])
  return (await Promise.all(claims)).flat()
}

describeEngine('limits across two engines', (open) => {
  it.each(['type', 'queue'] as const)(
    'claims get as many jobs as the rate of the %s allows, never more and not much less',
    async (scope) => {
      const [rate, burst] = [7, 3]
      const { clock, engine, engines } = await openTwo(open)
      await addMany(engine, 300)
      if (scope === 'type') await engine.updateType({ name: 'mail', set: { rate, burst } })
      else await engine.updateSettings({ set: { rate, burst } })
      const startedAt = clock.monotonic()
      let taken = 0
      // Uneven steps, so that claims fall between tokens.
      for (let step = 0; step < 60; step++) {
        taken += (await claimBoth(engines, 1 + (step % 4))).length
        expect(taken).toBeLessThanOrEqual(burst + (rate * (clock.monotonic() - startedAt)) / SECOND)
        await clock.advance([10, 130, 37, 480][step % 4] ?? 0)
      }
      const seconds = (clock.monotonic() - startedAt) / SECOND
      expect(taken).toBeGreaterThan(0.8 * rate * seconds)
    },
  )

  it('claims get one whole burst after an idle period, and no more', async () => {
    const { clock, engine, engines } = await openTwo(open)
    await addMany(engine, 50)
    await engine.updateType({ name: 'mail', set: { rate: 2, burst: 5 } })
    expect(await claimBoth(engines, 10)).toHaveLength(5)
    expect(await claimBoth(engines, 10)).toHaveLength(0)
    await clock.advance(60 * SECOND)
    expect(await claimBoth(engines, 10)).toHaveLength(5)
  })

  it('pausing through one engine stops claims in both at once', async () => {
    const { engine, engines } = await openTwo(open)
    const [first, second] = engines
    await addMany(engine, 10)
    await first.pauseType({ name: 'mail' })
    expect(await claimBoth(engines, 5)).toEqual([])
    await second.resumeType({ name: 'mail' })
    expect(await first.claim({ worker: 'worker-1' })).toHaveLength(1)
    await second.pause()
    expect(await claimBoth(engines, 5)).toEqual([])
    await first.resume()
    expect(await second.claim({ worker: 'worker-2' })).toHaveLength(1)
  })

  it('pausing a type does not affect other types', async () => {
    const { engine, engines } = await openTwo(open)
    await addMany(engine, 2)
    const call = await add(engine, { type: 'call' })
    await engine.pauseType({ name: 'mail' })
    expect((await claimBoth(engines, 5)).map(({ id }) => id)).toEqual([call])
  })

  it('both engines together never exceed the concurrency limit of a type', async () => {
    const { engine, engines } = await openTwo(open)
    await addMany(engine, 60)
    await engine.updateType({ name: 'mail', set: { maxConcurrency: 4 } })
    const running: ClaimedJob[] = []
    let done = 0
    for (let step = 0; done < 60; step++) {
      running.push(...(await claimBoth(engines, 3)))
      expect(running.length).toBeLessThanOrEqual(4)
      expect((await engine.stats()).counts.processing).toBe(running.length)
      const settled = running.splice(0, 1 + (step % 3))
      const settler = engines[step % 2] ?? engine
      await Promise.all(settled.map(({ id, version }) => settler.complete({ id, version })))
      done += settled.length
    }
    expect((await engine.stats()).counts).toMatchObject({ completed: 60, pending: 0, processing: 0 })
  })

  it('all slots are used when both engines settle and claim at the same time', async () => {
    const { engine, engines } = await openTwo(open)
    const [first, second] = engines
    await engine.declareTypes({ types: [{ name: 'mail', settings: { maxConcurrency: 2 } }] })
    const jobs = [await held(first), await held(second)]
    await addMany(engine, 5)
    const exchanges = jobs.map(({ id, version }, n) =>
      (engines[n] ?? engine).exchange({
        worker: `worker-${n}`,
        settle: [{ kind: 'complete', id, version }],
        claim: { limit: 2 },
      }),
    )
    const claimed = (await Promise.all(exchanges)).flatMap((one) => one.jobs)
    expect(claimed.length).toBeLessThanOrEqual(2)
    claimed.push(...(await claimBoth(engines, 2)))
    expect([claimed.length, (await engine.stats()).counts.processing]).toEqual([2, 2])
  })

  it('a limit that changes while jobs run applies at once', async () => {
    const { engine, engines } = await openTwo(open)
    const [first, second] = engines
    await addMany(engine, 20)
    await first.updateType({ name: 'mail', set: { maxConcurrency: 1 } })
    expect(await claimBoth(engines, 5)).toHaveLength(1)
    await second.updateType({ name: 'mail', set: { maxConcurrency: 6 } })
    expect(await claimBoth(engines, 9)).toHaveLength(5)
    await first.updateType({ name: 'mail', clear: ['maxConcurrency'] })
    expect(await second.claim({ worker: 'worker-2', limit: 100 })).toHaveLength(14)
  })
})

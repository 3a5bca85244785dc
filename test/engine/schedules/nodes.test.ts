/** Several nodes on one database: every tick has exactly one job, while nodes stop, start and are replaced. */
import { expect, it } from 'vitest'
import { SECOND } from '../../../shared/limits.ts'
import { describeEngine, type Opened, started } from '../../support/engine.ts'
import { seeded } from '../../support/seeded.ts'

const SCHEDULES = 100
const TICKS = 100

describeEngine('schedules on three nodes', (open) => {
  it('ten thousand ticks have one job each, through a storm of restarts', async () => {
    const { random } = seeded(7)
    const first = await started(open())
    const { clock } = first
    const nodes: Opened[] = [first, await started(first.another()), await started(first.another())]
    await first.engine.declareSchedules({
      owner: 'app',
      schedules: Array.from({ length: SCHEDULES }, (_, n) => ({
        ...({
          name: `s-${n}`,
          type: `type-${n % 7}`,
          payload: n,
          every: '1s',
          overlap: 'allow',
          catchUp: 'all',
        } as const),
      })),
    })
    for (let step = 0; step < TICKS; step++) {
      const node = nodes[Math.floor(random() * nodes.length)]
      if (random() < 0.3) await node?.engine.stop()
      if (random() < 0.3) for (const { engine } of nodes) engine.start()
      if (step % 25 === 24) nodes.push(await started(first.another()))
      await clock.advance(SECOND)
    }
    for (const { engine } of nodes) engine.start()
    await clock.advance(0)
    const { engine } = first
    const { schedules } = await engine.schedules({ limit: 200 })
    expect(schedules.map(({ runs }) => runs)).toEqual(schedules.map(() => TICKS))
    const ticks = new Set<string>()
    let jobs = 0
    for await (const { tick } of engine.export()) {
      jobs += 1
      ticks.add(`${tick?.schedule} ${tick?.at}`)
    }
    expect([jobs, ticks.size]).toEqual([SCHEDULES * TICKS, SCHEDULES * TICKS])
    // The key of each job would hide a tick that was processed twice: it would be recorded as skipped.
    const recorded = await Promise.all(schedules.map(({ name }) => engine.schedule({ name })))
    expect(new Set(recorded.flatMap((one) => one.ticks.map(({ outcome }) => outcome)))).toEqual(new Set(['enqueued']))
  }, 180_000)
})

/** Jobs without a worker stay in the queue, with one warning per type. */
import { describe, expect, it } from 'vitest'
import { openEngine } from '../../server/compose/open-engine.ts'
import { createTq } from '../../server/sdk/tq/tq.ts'
import { SECOND } from '../../shared/limits.ts'
import { endWithTest, hostTq } from './host-app.ts'

const LOOK_MS = 10 * SECOND

describe('jobs without a worker', () => {
  it('jobs without a worker stay, with one warning per type', async () => {
    const { tq, clock, warnings, count } = await hostTq()
    tq('mail').setWorker(() => null)
    tq('crawl').add(1).add(2)
    tq('later').add(1, { delayMs: LOOK_MS * 2.5 })
    await clock.advance(LOOK_MS)
    expect(warnings.splice(0)).toEqual([expect.stringMatching(/type crawl are waiting.*tq\('crawl'\)\.setWorker/)])
    await clock.advance(LOOK_MS)
    expect(warnings).toEqual([])
    await clock.advance(LOOK_MS)
    expect(warnings.splice(0)).toEqual([expect.stringContaining('type later are waiting')])
    expect(count(`millrace_jobs WHERE status = 'pending'`)).toBe(3)
  })

  it('an application without any worker also warns', async () => {
    const { tq, clock, warnings } = await hostTq()
    tq('crawl').add(1)
    await clock.advance(LOOK_MS)
    expect(warnings.splice(0)).toHaveLength(1)
  })

  it('no warning when a worker of another process handles the type', async () => {
    const { tq, clock, file, callbacks } = await hostTq()
    const other = createTq({ url: `sqlite:${file}`, ...callbacks })
    endWithTest(other, clock)
    other('crawl')
      .setWorker(() => new Promise(() => {}))
      .setWorkerCount(1)
    await clock.advance(0)
    tq('crawl').add(1).add(2)
    await clock.advance(LOOK_MS)
    expect(tq.stats().byType.crawl).toMatchObject({ 'in-progress': 1, 'to-do': 1 })
  })

  it('no warning for types of kind command', async () => {
    const { tq, clock, file, callbacks } = await hostTq()
    const engine = await openEngine({ url: `sqlite:${file}`, clock, services: false, onError: callbacks.onError })
    await engine.enqueue({ type: 'build', kind: 'command', payload: 'make' })
    await clock.advance(LOOK_MS)
    await engine.close()
    expect(tq.stats()).toMatchObject({ 'to-do': 1 })
  })

  it('waiting jobs run as soon as a worker is added', async () => {
    const { tq, clock, warnings } = await hostTq()
    tq('crawl').add(1)
    await clock.advance(LOOK_MS)
    expect(warnings.splice(0)).toHaveLength(1)
    tq('crawl').setWorker(() => null)
    await clock.advance(0)
    expect(tq.stats()).toMatchObject({ success: 1 })
  })
})

/** Jobs that no worker takes stay in the queue, and that is said once. */
import { describe, expect, it } from 'vitest'
import { openEngine } from '../../server/compose/open-engine.ts'
import { createTq } from '../../server/sdk/tq/tq.ts'
import { SECOND } from '../../shared/limits.ts'
import { endWithTest, hostTq } from './host-app.ts'

const LOOK_MS = 10 * SECOND

describe('jobs without a worker', () => {
  it('stay, and are told of once for each type', async () => {
    const { tq, clock, warnings, count } = await hostTq()
    tq('mail').setWorker(() => null)
    tq('crawl').add(1).add(2)
    tq('later').add(1, { delayMs: LOOK_MS * 2.5 })
    await clock.advance(LOOK_MS)
    expect(warnings.splice(0)).toEqual([expect.stringMatching(/type crawl wait.*tq\('crawl'\)\.setWorker/)])
    await clock.advance(LOOK_MS)
    expect(warnings).toEqual([])
    await clock.advance(LOOK_MS)
    expect(warnings.splice(0)).toEqual([expect.stringContaining('type later wait')])
    expect(count(`millrace_jobs WHERE status = 'pending'`)).toBe(3)
  })

  it('are told of by an application that has no worker at all', async () => {
    const { tq, clock, warnings } = await hostTq()
    tq('crawl').add(1)
    await clock.advance(LOOK_MS)
    expect(warnings.splice(0)).toHaveLength(1)
  })

  it('are not told of when a worker of somebody else takes them', async () => {
    const { tq, clock, file, told } = await hostTq()
    const other = createTq({ url: `sqlite:${file}`, ...told })
    endWithTest(other, clock)
    other('crawl')
      .setWorker(() => new Promise(() => {}))
      .setWorkerCount(1)
    await clock.advance(0)
    tq('crawl').add(1).add(2)
    await clock.advance(LOOK_MS)
    expect(tq.stats().byType.crawl).toMatchObject({ 'in-progress': 1, 'to-do': 1 })
  })

  it('are not told of when they are not for workers like these', async () => {
    const { tq, clock, file, told } = await hostTq()
    const engine = await openEngine({ url: `sqlite:${file}`, clock, services: false, onError: told.onError })
    await engine.enqueue({ type: 'build', kind: 'command', payload: 'make' })
    await clock.advance(LOOK_MS)
    await engine.close()
    expect(tq.stats()).toMatchObject({ 'to-do': 1 })
  })

  it('run as soon as a worker is there', async () => {
    const { tq, clock, warnings } = await hostTq()
    tq('crawl').add(1)
    await clock.advance(LOOK_MS)
    expect(warnings.splice(0)).toHaveLength(1)
    tq('crawl').setWorker(() => null)
    await clock.advance(0)
    expect(tq.stats()).toMatchObject({ success: 1 })
  })
})

/** Explanations of blocked jobs: what their key waits for, and their place in its line. */
import { expect, it } from 'vitest'
import type { GroupSettings } from '../../../shared/contracts/groups.ts'
import { SECOND } from '../../../shared/limits.ts'
import { add, describeEngine, type Opened, take } from '../../support/engine.ts'

const TYPE = 'mail'

/** Declares the rules and adds `jobs` jobs of key t-1. */
async function jobsOf({ engine }: Opened, group: GroupSettings, jobs: number): Promise<readonly string[]> {
  await engine.declareTypes({ types: [{ name: TYPE, settings: { group } }] })
  const ids: string[] = []
  for (let n = 0; n < jobs; n++) ids.push(await add(engine, { group: 't-1' }))
  return ids
}

describeEngine('explain of a blocked job', (open) => {
  const explained = async ({ engine }: Opened, id: string | undefined) => {
    const { text, at, group, status, reason } = await engine.explain({ id: id ?? '' })
    return { text, at, status, reason, ...group }
  }

  it('gives the numbers of the limit and the place in the line', async () => {
    const opened = await open()
    const ids = await jobsOf(opened, { concurrency: 2 }, 6)
    await take(opened.engine)
    await take(opened.engine)
    expect(await explained(opened, ids[2])).toMatchObject({
      ...{ status: 'blocked', reason: 'blocked', name: TYPE, key: 't-1', cause: 'concurrency', at: null },
      ...{ ahead: 0, isMore: false, pending: 0, processing: 2, blocked: 4, concurrency: 2, stoppedBy: null },
      text: '2 running of at most 2 jobs of key t-1 of group mail at a time; it is the next of its key.',
    })
    expect((await explained(opened, ids[5])).text).toContain('; 3 jobs of the key are ahead of it.')
    expect(await explained(opened, ids[0])).toMatchObject({ status: 'processing', cause: null, ahead: 0, blocked: 4 })
  })

  it('goes by priority within the key', async () => {
    const opened = await open()
    const ids = await jobsOf(opened, { concurrency: 1 }, 2)
    const urgent = await add(opened.engine, { group: 't-1', priority: 5 })
    expect(await explained(opened, urgent)).toMatchObject({ ahead: 0 })
    expect(await explained(opened, ids[1])).toMatchObject({ ahead: 1 })
  })

  it('estimates when a rate limit lets it start', async () => {
    const opened = await open()
    const ids = await jobsOf(opened, { rate: { limit: 6, perMs: 60_000 } }, 4)
    await take(opened.engine)
    const { clock } = opened
    expect(await explained(opened, ids[1])).toMatchObject({
      cause: 'rate',
      at: clock.now() + 10 * SECOND,
      text: 'The rate limit of key t-1 of group mail (6 per 60 s) is used up for the moment; it is the next of its key, and its turn comes in about 10 s.',
    })
    expect(await explained(opened, ids[3])).toMatchObject({ ahead: 2, at: clock.now() + 30 * SECOND })
  })

  it('names a pause of the group and of the key', async () => {
    const opened = await open()
    const [first] = await jobsOf(opened, { concurrency: 1 }, 1)
    await opened.engine.updateGroup({ name: TYPE, set: { paused: true } })
    expect(await explained(opened, first)).toMatchObject({ cause: 'paused', text: 'Group mail is paused; resume it.' })
    await opened.engine.updateGroup({ name: TYPE, clear: ['paused'] })
    await opened.engine.updateGroup({ name: TYPE, key: 't-1', set: { paused: true } })
    expect(await explained(opened, first)).toMatchObject({ text: 'Key t-1 of group mail is paused; resume it.' })
  })

  it('names the failed job that stopped the key', async () => {
    const opened = await open()
    const [first, second] = await jobsOf(opened, { order: 'strict', onDead: 'stop' }, 2)
    const { id, version } = await take(opened.engine)
    await opened.engine.fail({ id, version, error: 'broken', retry: false })
    expect(await explained(opened, second)).toMatchObject({
      ...{ cause: 'stopped', stoppedBy: first },
      text: `Key t-1 of group mail is stopped, because job ${first} failed for good; retry or remove that job, or resume the key.`,
    })
  })

  it('states that a job with strict order waits for the earlier ones, also while one waits for its retry', async () => {
    const opened = await open()
    const [first, second] = await jobsOf(opened, { order: 'strict' }, 2)
    const { id, version } = await take(opened.engine)
    await opened.engine.fail({ id, version, error: 'broken', retryInMs: 40 * SECOND })
    expect(await explained(opened, second)).toMatchObject({
      cause: 'order',
      text: `The jobs of key t-1 of group mail run one by one in the order of their enqueue, retries included; job ${first} has its turn and waits for its retry; it is the next of its key.`,
    })
  })

  it('states for how long a handler asked the key to wait', async () => {
    const opened = await open()
    const [, , third] = await jobsOf(opened, { window: 2 }, 3)
    const { id, version } = await take(opened.engine)
    await opened.engine.release({ id, version, delayMs: 40 * SECOND, groupBusy: true })
    expect(await explained(opened, third)).toMatchObject({
      cause: 'busy',
      text: expect.stringMatching(
        /^A handler threw GroupBusy: no job of key t-1 of group mail starts in the next 40 s; /,
      ),
    })
  })

  it('states that jobs of the key are ready, and that no worker takes them', async () => {
    const opened = await open()
    const [, second, third] = await jobsOf(opened, { window: 1 }, 3)
    expect(await explained(opened, second)).toMatchObject({
      cause: 'window',
      text: '1 job of key t-1 of group mail is ready for workers already, and 0 running; it is the next of its key. No worker that takes type mail has been seen in the last minute.',
    })
    await opened.engine.pause()
    expect((await explained(opened, third)).text).toContain(
      '1 job of the key is ahead of it. The whole queue is paused; resume it.',
    )
  })

  it('has no group for a job without one, nor for a finished one', async () => {
    const opened = await open()
    const without = await add(opened.engine)
    expect((await opened.engine.explain({ id: without })).group).toBeNull()
    const [first] = await jobsOf(opened, {}, 1)
    expect((await opened.engine.explain({ id: first ?? '' })).group).toMatchObject({
      key: 't-1',
      cause: null,
      pending: 1,
    })
    await opened.engine.cancel({ id: first ?? '' })
    expect((await opened.engine.explain({ id: first ?? '' })).group).toBeNull()
  })
})

/** Frames of events: paced, merged, bounded, resumable. */
import { afterEach, expect, it } from 'vitest'
import { EventFrames, type FrameWithId } from '../../../server/api/event-frames/event-frames.ts'
import { limits } from '../../../shared/limits.ts'
import { add, addMany, describeEngine, held, type Opened } from '../../support/engine.ts'
import { settle } from '../../support/test-clock.ts'

const leaving: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const leave of leaving.splice(0)) await leave()
})

function framesOf({ engine, clock, errors }: Opened): EventFrames {
  return new EventFrames({
    events: engine.events,
    counts: () => engine.counts(),
    clock,
    onError: (error) => errors.push(error),
  })
}

/** A subscriber that reads every frame at once. */
async function watch(frames: EventFrames, lastEventId: string | null = null) {
  const seen: FrameWithId[] = []
  const controller = new AbortController()
  const reading = (async () => {
    for await (const one of frames.follow(lastEventId, controller.signal)) seen.push(one)
  })()
  const leave = async () => {
    controller.abort()
    await reading
  }
  leaving.push(leave)
  await settle()
  return { seen, leave, last: () => seen.at(-1)?.frame }
}

describeEngine('event frames', (open) => {
  it('the first frame of a new subscriber has refetch and exact counts', async () => {
    const opened = await open()
    await addMany(opened.engine, 3)
    const { seen } = await watch(framesOf(opened))
    expect(seen).toHaveLength(1)
    expect(seen[0]?.frame).toMatchObject({
      refetch: true,
      total: 0,
      changes: [],
      counts: { pending: 3, processing: 0 },
    })
  })

  it('a frame is sent at once after an idle time, then ten a second', async () => {
    const opened = await open()
    const { seen, last } = await watch(framesOf(opened))
    const first = await add(opened.engine)
    await opened.clock.advance(0)
    expect(last()).toMatchObject({ refetch: false, total: 1, changes: [{ id: first, from: null, to: 'pending' }] })
    const second = await add(opened.engine)
    const third = await add(opened.engine)
    await opened.clock.advance(99)
    expect(seen).toHaveLength(2)
    await opened.clock.advance(1)
    expect(last()).toMatchObject({ total: 2, counts: { pending: 3 } })
    expect(last()?.changes.map(({ id }) => id)).toEqual([second, third])
    await opened.clock.advance(1_000)
    expect(seen).toHaveLength(3)
  })

  it('a frame lists at most 200 jobs and counts all of them', async () => {
    const opened = await open()
    const { last } = await watch(framesOf(opened))
    await addMany(opened.engine, 150)
    await addMany(opened.engine, 150)
    await opened.clock.advance(100)
    expect([last()?.total, last()?.changes.length, last()?.counts.pending]).toEqual([300, 200, 300])
  })

  it('frames are merged into one for a slow subscriber', async () => {
    const opened = await open()
    const frames = framesOf(opened)
    const slow = frames.follow(null, undefined)
    await slow.next()
    const fast = await watch(frames)
    for (let n = 0; n < 3; n++) {
      await add(opened.engine)
      await opened.clock.advance(100)
    }
    expect(fast.seen).toHaveLength(4)
    const { value } = await slow.next()
    expect(value).toMatchObject({ id: fast.seen.at(-1)?.id, frame: { total: 3, counts: { pending: 3 } } })
    expect(value?.frame.changes).toHaveLength(3)
    await slow.return()
  })

  it('frames contain changes of types, settings, workers and bulk operations', async () => {
    const opened = await open()
    const { engine, clock } = opened
    const { last } = await watch(framesOf(opened))
    await held(engine)
    await clock.advance(100)
    await engine.pauseType({ name: 'mail' })
    await engine.pause()
    await engine.drainWorker({ worker: 'worker-1' })
    const { id } = await engine.startBulk({ action: 'retry', filter: {} })
    await clock.advance(100)
    expect(last()).toMatchObject({ types: true, settings: true, workers: true, bulks: [id], refetch: false })
  })

  it('a subscriber that resumes from an id gets all missed changes and nothing else', async () => {
    const opened = await open()
    const frames = framesOf(opened)
    const before = await watch(frames)
    await add(opened.engine)
    await opened.clock.advance(100)
    const seenTo = before.seen.at(-1)?.id ?? ''
    await before.leave()
    const missed = await addMany(opened.engine, 2)
    const { seen } = await watch(frames, seenTo)
    expect(seen).toHaveLength(1)
    expect(seen[0]?.frame).toMatchObject({ refetch: false, total: 2, counts: { pending: 3 } })
    expect(seen[0]?.frame.changes.map(({ id }) => id)).toEqual(missed)
    await opened.clock.advance(1_000)
    expect(seen).toHaveLength(1)
  })

  it.each(['another-life:1', 'nonsense', ':', ''])(
    'a subscriber that resumes from the unknown id %j gets refetch',
    async (id) => {
      const opened = await open()
      const { seen } = await watch(framesOf(opened), id)
      expect(seen.map(({ frame }) => frame.refetch)).toEqual([true])
    },
  )

  it('a subscriber that missed more than is kept gets refetch', async () => {
    const opened = await open()
    const frames = framesOf(opened)
    const from = opened.engine.events.lastId
    await Promise.all(Array.from({ length: 1_100 }, () => opened.engine.pause()))
    const { seen } = await watch(frames, from)
    expect(seen.map(({ frame }) => frame.refetch)).toEqual([true])
  })

  it('a commit of another process sends refetch', async () => {
    const opened = await open()
    const other = await opened.another()
    const { last } = await watch(framesOf(opened))
    await add(other.engine)
    await opened.clock.advance(2 * opened.store.pollMs + 100)
    expect(last()).toMatchObject({ refetch: true, counts: { pending: 1 } })
  })

  it('a frame that could not be counted is sent later', async () => {
    const opened = await open()
    let broken = true
    const counts = () => (broken ? Promise.reject(new Error('no counts')) : opened.engine.counts())
    const { engine, clock, errors } = opened
    const frames = new EventFrames({ events: engine.events, counts, clock, onError: (error) => errors.push(error) })
    broken = false
    const { seen, last } = await watch(frames)
    broken = true
    const id = await add(engine)
    await clock.advance(0)
    expect([seen.length, errors.splice(0).map(String)]).toEqual([1, ['Error: no counts']])
    broken = false
    await clock.advance(1_000)
    expect(last()?.changes.map((change) => change.id)).toEqual([id])
  })

  it('a subscriber beyond the limit is refused and leaves no listener behind', async () => {
    const opened = await open()
    const frames = framesOf(opened)
    const watchers = Array.from({ length: limits.eventClients }, () => frames.follow(null, undefined))
    for (const watcher of watchers) await watcher.next()
    expect([frames.subscriberCount, opened.engine.events.listenerCount]).toEqual([limits.eventClients, 1])
    await expect(frames.follow(null, undefined).next()).rejects.toMatchObject({ code: 'TOO_MANY' })
    for (const watcher of watchers) await watcher.return()
    expect([frames.subscriberCount, opened.engine.events.listenerCount]).toEqual([0, 0])
  })
})

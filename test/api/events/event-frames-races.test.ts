/** Event frames during a slow count: no change is missed, frames do not overlap, and no work continues without subscribers. */
import { getEventListeners } from 'node:events'
import { afterEach, expect, it } from 'vitest'
import { EventFrames, type FrameWithId } from '../../../server/api/event-frames/event-frames.ts'
import { add, describeEngine, type Opened } from '../../support/engine.ts'
import { settle } from '../../support/test-clock.ts'

const leaving: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const leave of leaving.splice(0)) await leave()
})

/** Frames whose counts are supplied by the test; `counting` are the pending requests. */
function slowFrames({ engine, clock }: Opened) {
  const counting: { answer(): void; refuse(): void }[] = []
  const errors: string[] = []
  const counts = () =>
    new Promise<Awaited<ReturnType<typeof engine.counts>>>((resolve, reject) => {
      counting.push({ answer: () => resolve(engine.counts()), refuse: () => reject(new Error('no counts')) })
    })
  const onError = (error: unknown) => errors.push(String(error))
  const frames = new EventFrames({ events: engine.events, counts, clock, onError })

  async function give(how: 'answer' | 'refuse'): Promise<void> {
    const asked = counting.shift()
    if (!asked) throw new Error('no count was requested')
    asked[how]()
    await settle()
  }

  /** A subscriber that reads every frame at once and still waits for its first one. */
  async function arrive(lastEventId: string | null = null) {
    const seen: FrameWithId[] = []
    const controller = new AbortController()
    const reading = (async () => {
      for await (const tagged of frames.follow(lastEventId, controller.signal)) seen.push(tagged)
    })()
    const leave = () => {
      controller.abort()
      return reading
    }
    leaving.push(leave)
    await settle()
    return { seen, leave }
  }

  /** A subscriber that has received its first frame. */
  async function watch(lastEventId: string | null = null) {
    const watcher = await arrive(lastEventId)
    await give('answer')
    expect(watcher.seen.splice(0)).toHaveLength(1)
    return watcher
  }

  return { frames, counting, errors, arrive, watch, answer: () => give('answer'), refuse: () => give('refuse') }
}

const named = (seen: readonly FrameWithId[]) => seen.map(({ frame }) => frame.changes.map(({ id }) => id))

/** The jobs that a reconnecting client would receive. */
function since({ engine }: Opened, id: string | undefined): string[] {
  const missed = engine.events.since(id ?? '') ?? []
  return missed.flatMap(({ event }) => (event.kind === 'jobs' ? event.changes.map((change) => change.id) : []))
}

describeEngine('event frames', (open) => {
  it.each(['a newcomer', 'one who comes back'])(
    'a job that is enqueued during the first count for %s is in the next frame',
    async (who) => {
      const opened = await open()
      const { arrive, answer } = slowFrames(opened)
      const { seen } = await arrive(who === 'a newcomer' ? null : opened.engine.events.lastId)
      const id = await add(opened.engine)
      await answer()
      // A reconnect directly after the first frame misses nothing either.
      expect(since(opened, seen[0]?.id)).toEqual([id])
      await opened.clock.advance(0)
      await answer()
      expect(named(seen)).toEqual([[], [id]])
    },
  )

  it('a frame has an id from before its count, so a reconnect misses nothing', async () => {
    const opened = await open()
    const slow = slowFrames(opened)
    const { seen } = await slow.watch()
    const first = await add(opened.engine)
    await opened.clock.advance(0)
    const second = await add(opened.engine)
    await slow.answer()
    expect([named(seen), since(opened, seen[0]?.id)]).toEqual([[[first]], [second]])
    await opened.clock.advance(100)
    await slow.answer()
    expect(named(seen)).toEqual([[first], [second]])
  })

  it('frames never overlap while a count is slow, and the next one contains the rest', async () => {
    const opened = await open()
    const slow = slowFrames(opened)
    const { seen } = await slow.watch()
    const first = await add(opened.engine)
    await opened.clock.advance(0)
    const rest = [await add(opened.engine), await add(opened.engine)]
    await opened.clock.advance(2_000)
    expect([slow.counting.length, seen.length]).toEqual([1, 0])
    await slow.answer()
    await opened.clock.advance(0)
    await slow.answer()
    expect(named(seen)).toEqual([[first], rest])
  })

  it('a frame after a failed count contains its changes and all later ones', async () => {
    const opened = await open()
    const slow = slowFrames(opened)
    const { seen } = await slow.watch()
    const first = await add(opened.engine)
    await opened.clock.advance(0)
    const second = await add(opened.engine)
    await slow.refuse()
    const third = await add(opened.engine)
    await opened.clock.advance(1_000)
    await slow.answer()
    expect(named(seen)).toEqual([[first, second, third]])
    expect(seen[0]?.frame).toMatchObject({ total: 3, counts: { pending: 3 }, refetch: false })
  })

  it('a failed count is retried once a second', async () => {
    const opened = await open()
    const slow = slowFrames(opened)
    await slow.watch()
    await add(opened.engine)
    await opened.clock.advance(0)
    for (let round = 0; round < 3; round++) {
      await slow.refuse()
      await add(opened.engine)
      await opened.clock.advance(999)
      const early = slow.counting.length
      await opened.clock.advance(1)
      expect([early, slow.counting.length]).toEqual([0, 1])
    }
    expect(slow.errors).toEqual(Array(3).fill('Error: no counts'))
    await slow.answer()
  })

  it('a frame is dropped when its count fails and no subscriber is left', async () => {
    const opened = await open()
    const slow = slowFrames(opened)
    const { leave } = await slow.watch()
    await add(opened.engine)
    await opened.clock.advance(0)
    await leave()
    await slow.refuse()
    await opened.clock.advance(60_000)
    expect([slow.errors, slow.counting.length, opened.clock.pendingTimers]).toEqual([['Error: no counts'], 0, 0])
  })

  it('a pending frame is dropped with its last subscriber and not sent to the next one', async () => {
    const opened = await open()
    const slow = slowFrames(opened)
    const { leave } = await slow.watch()
    await add(opened.engine)
    expect(opened.clock.pendingTimers).toBeGreaterThan(0)
    await leave()
    expect(opened.clock.pendingTimers).toBe(0)
    const { seen } = await slow.watch(opened.engine.events.lastId)
    await opened.clock.advance(1_000)
    expect([seen, slow.counting]).toEqual([[], []])
    const id = await add(opened.engine)
    await opened.clock.advance(0)
    await slow.answer()
    expect(named(seen)).toEqual([[id]])
  })

  it('an abort listener is removed when its subscriber ends', async () => {
    const { frames, counting } = slowFrames(await open())
    const { signal } = new AbortController()
    const stream = frames.follow(null, signal)
    setImmediate(() => counting.shift()?.answer())
    await stream.next()
    const before = getEventListeners(signal, 'abort').length
    await stream.return()
    expect([before, getEventListeners(signal, 'abort').length]).toEqual([1, 0])
  })

  it('closed event frames refuse new subscribers and continue for existing ones', async () => {
    const opened = await open()
    const slow = slowFrames(opened)
    const { seen } = await slow.watch()
    slow.frames.close()
    expect(() => slow.frames.requireCapacity()).toThrow(expect.objectContaining({ code: 'CLOSED' }))
    await expect(slow.frames.follow(null, undefined).next()).rejects.toMatchObject({ code: 'CLOSED' })
    const id = await add(opened.engine)
    await opened.clock.advance(0)
    await slow.answer()
    expect([named(seen), slow.frames.subscriberCount]).toEqual([[[id]], 1])
  })
})

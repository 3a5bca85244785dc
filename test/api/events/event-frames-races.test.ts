/** Frames of events while a count takes its time: nothing is missed, nothing comes twice at once, nothing goes on unwatched. */
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

  /** A watcher that takes every frame as soon as it comes, and still waits for its greeting. */
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

  /** One who has been greeted. */
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
  it.each(['a newcomer', 'one who comes back'])('name a job that comes while %s is greeted', async (who) => {
    const opened = await open()
    const { arrive, answer } = slowFrames(opened)
    const { seen } = await arrive(who === 'a newcomer' ? null : opened.engine.events.lastId)
    const id = await add(opened.engine)
    await answer()
    // A line that is cut right after the greeting misses nothing either.
    expect(since(opened, seen[0]?.id)).toEqual([id])
    await opened.clock.advance(0)
    await answer()
    expect(named(seen)).toEqual([[], [id]])
  })

  it('carry an id from before their count, so that a cut line misses nothing', async () => {
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

  it('never overlap, however slow the count, and the next one contains the rest', async () => {
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

  it('bring after a failed count what it was for and what came meanwhile', async () => {
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

  it('ask a database that cannot count once a second', async () => {
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

  it('are dropped when the count fails and no subscriber is left', async () => {
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

  it('are dropped with their last subscriber, and the next one does not receive them', async () => {
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

  it('take their listener off the signal of a watcher that leaves', async () => {
    const { frames, counting } = slowFrames(await open())
    const { signal } = new AbortController()
    const stream = frames.follow(null, signal)
    setImmediate(() => counting.shift()?.answer())
    await stream.next()
    const before = getEventListeners(signal, 'abort').length
    await stream.return()
    expect([before, getEventListeners(signal, 'abort').length]).toEqual([1, 0])
  })

  it('are refused to newcomers once closed, and go on for those who watch', async () => {
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

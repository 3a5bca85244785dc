/** Events: emitted after the commit, in order, bounded, and resumable from an id. */
import { expect, it } from 'vitest'
import type { EmittedEvent, QueueEvent } from '../../server/engine/events.ts'
import { add, addMany, describeEngine, held, type Opened } from '../support/engine.ts'
import { settle } from '../support/test-clock.ts'

function listen({ engine }: Opened) {
  const received: EmittedEvent[] = []
  const stop = engine.events.subscribe((one) => received.push(one))
  return { received, stop }
}

const changesOf = (event: QueueEvent | undefined) => (event?.kind === 'jobs' ? event.changes : [])

describeEngine('events', (open) => {
  it('events report every change of a job', async () => {
    const opened = await open()
    const { engine, clock } = opened
    const { received, stop } = listen(opened)
    const id = await add(engine, { delayMs: 1_000 })
    await engine.runNow({ id })
    const [job] = await engine.claim({ worker: 'worker-1' })
    await engine.progress({ id, version: job?.version ?? 0, progress: 50 })
    await engine.fail({ id, version: job?.version ?? 0, error: 'no route', retry: false })
    await engine.remove({ id })
    stop()
    const type = 'mail'
    expect(received.map(({ event }) => event)).toEqual(
      [
        { id, type, from: null, to: 'scheduled' },
        { id, type, from: 'scheduled', to: 'pending' },
        { id, type, from: 'pending', to: 'processing' },
        { id, type, from: 'processing', to: 'processing' },
        { id, type, from: 'processing', to: 'failed' },
        { id, type, from: 'failed', to: null },
      ].map((change) => ({ kind: 'jobs', at: clock.now(), total: 1, changes: [change] })),
    )
  })

  it('events are emitted after the commit and before the call resolves', async () => {
    const opened = await open()
    const { engine, store } = opened
    const { received, stop } = listen(opened)
    store.hold()
    const adding = add(engine).then((id) => [id, received.length])
    await settle()
    expect([store.committed.length, received.length]).toEqual([1, 0])
    store.letGo()
    const [id, seen] = await adding
    expect([changesOf(received[0]?.event)[0]?.id, seen]).toEqual([id, 1])
    stop()
  })

  it('events are not emitted for rejected writes', async () => {
    const opened = await open()
    const { engine } = opened
    const job = await held(engine)
    const { received, stop } = listen(opened)
    await engine.complete({ id: job.id, version: 9 }).catch(() => {})
    await engine.claim({ worker: 'worker-1' })
    expect(received).toEqual([])
    stop()
  })

  it('an event lists at most 200 jobs, and the total', async () => {
    const opened = await open()
    const { received, stop } = listen(opened)
    const jobs = await addMany(opened.engine, 750)
    stop()
    const [{ event } = { event: undefined }] = received
    expect([received.length, event]).toMatchObject([1, { kind: 'jobs', total: 750 }])
    expect(changesOf(event).map(({ id }) => id)).toEqual(jobs.slice(0, 200))
  })

  it('events before the first reader cannot be resumed, and those after it can, without a listener', async () => {
    const opened = await open()
    const { engine } = opened
    await addMany(engine, 3)
    const seen = engine.events.lastId
    const [epoch, n] = seen.split(':')
    expect([Number(n) > 0, engine.events.since(`${epoch}:0`)]).toEqual([true, null])
    const id = await add(engine)
    const { stop } = listen(opened)
    stop()
    const other = await add(engine)
    const changed = engine.events.since(seen)?.flatMap(({ event }) => changesOf(event).map((change) => change.id))
    expect(changed).toEqual([id, other])
  })

  it('events can be resumed from the last received id', async () => {
    const opened = await open()
    const { engine } = opened
    await add(engine)
    const seen = engine.events.lastId
    expect(engine.events.since(seen)).toEqual([])
    const { received, stop } = listen(opened)
    const later = [await add(engine), await add(engine), await add(engine)]
    stop()
    const missed = engine.events.since(seen)
    expect(missed).toEqual(received)
    expect(missed?.flatMap(({ event }) => changesOf(event).map(({ id }) => id))).toEqual(later)
    expect(engine.events.since(received[1]?.id ?? '')).toEqual(received.slice(2))
    expect(engine.events.lastId).toBe(received[2]?.id)
  })

  it('events cannot be resumed from an id of another process or an unknown id', async () => {
    const opened = await open()
    const { engine, another } = opened
    const [epoch] = engine.events.lastId.split(':')
    await add(engine)
    const { engine: other } = await another()
    const unknown = [
      other.events.lastId,
      `${epoch}:2`,
      `${epoch}:-1`,
      `${epoch}:x`,
      `${epoch}:1.5`,
      epoch ?? '',
      '',
      ':1',
    ]
    expect(unknown.map((id) => engine.events.since(id))).toEqual(unknown.map(() => null))
    expect(engine.events.since(`${epoch}:0`)).toHaveLength(1)
  })

  it('events cannot be resumed from an id that is too old', async () => {
    const { engine } = await open()
    const start = engine.events.lastId
    await add(engine)
    const first = engine.events.lastId
    for (let n = 0; n < 1_024; n++) await add(engine)
    expect(engine.events.since(start)).toBeNull()
    expect(engine.events.since(first)).toHaveLength(1_024)
  })

  it('a listener that throws affects neither other listeners nor the caller', async () => {
    const opened = await open()
    const { engine, errors } = opened
    const fault = new Error('a listener broke')
    const stopBroken = engine.events.subscribe(() => {
      throw fault
    })
    const { received, stop } = listen(opened)
    const id = await add(engine)
    expect(errors.splice(0)).toEqual([fault])
    expect(changesOf(received[0]?.event)[0]?.id).toBe(id)
    stop()
    stopBroken()
  })

  it('a listener receives no events after it has unsubscribed', async () => {
    const opened = await open()
    const { engine } = opened
    const first = listen(opened)
    const second = listen(opened)
    expect(engine.events.listenerCount).toBe(2)
    await add(engine)
    first.stop()
    first.stop()
    await add(engine)
    second.stop()
    await add(engine)
    expect([first.received.length, second.received.length, engine.events.listenerCount]).toEqual([1, 2, 0])
  })

  it('listeners can unsubscribe and subscribe during emit', async () => {
    const { engine } = await open()
    const seen: string[] = []
    const stop = engine.events.subscribe(() => {
      seen.push('first')
      stop()
    })
    const stopSecond = engine.events.subscribe(() => seen.push('second'))
    await add(engine)
    await add(engine)
    stopSecond()
    expect([seen, engine.events.listenerCount]).toEqual([['first', 'second', 'second'], 0])
  })
})

/** Synchronous verbs: their effects on the other callers of the same engine. */
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createDirectEngine, type DirectEngine } from '../../../server/engine/engine.ts'
import type { DirectStore } from '../../../server/store/direct-store.ts'
import { openSqliteStoreSync } from '../../../server/store/sqlite/store.ts'
import { StoreBusy, StoreFailed } from '../../../server/store/store.ts'
import { inLine, refused } from '../../support/engine.ts'
import { refusal } from '../../support/refusal.ts'
import { makeTempFolder } from '../../support/temp.ts'
import { settle, TestClock } from '../../support/test-clock.ts'

interface Opened extends DirectEngine {
  readonly clock: TestClock
  readonly store: DirectStore
  readonly fatal: Error[]
}

async function open(): Promise<Opened> {
  const folder = await makeTempFolder()
  const clock = new TestClock()
  const store = openSqliteStoreSync({ file: join(folder.path, 'queue.db'), clock, durability: 'normal' })
  const fatal: Error[] = []
  const opened = createDirectEngine({ store, clock, onFatal: (error) => fatal.push(error) })
  onTestFinished(async () => {
    await opened.engine.close()
    await folder.remove()
  })
  return { ...opened, clock, store, fatal }
}

const job = { type: 'mail', payload: { to: 'a' } }

describe('a direct verb', () => {
  it('a direct verb wakes waiting claims and emits events', async () => {
    const { engine, direct } = await open()
    const received: unknown[] = []
    engine.events.subscribe(({ event }) => received.push(event))
    const { claim } = await inLine(engine)
    const { id } = direct.enqueue(job)
    expect(received).toMatchObject([{ kind: 'jobs', changes: [{ id, to: 'pending' }] }])
    expect(await claim).toEqual([id])
    expect(direct.get(id)).toMatchObject({ status: 'processing', payload: { to: 'a' } })
  })

  it('a direct verb does not wait for queued writes', async () => {
    const { engine, direct } = await open()
    const queued = engine.enqueue(job)
    const { id } = direct.enqueue(job)
    expect(direct.claim('worker-1')?.id).toBe(id)
    await queued
    expect([...direct.counts()]).toMatchObject([['mail', { pending: 1, processing: 1 }]])
  })

  it('a direct verb checks the fencing token', async () => {
    const { engine, direct } = await open()
    const { id } = direct.enqueue(job)
    const lease = { id, version: direct.claim('worker-1')?.version ?? 0 }
    await engine.release(lease)
    const [again] = await engine.claim({ worker: 'worker-2' })
    expect(refusal(() => direct.complete(lease)).code).toBe('STALE_CLAIM')
    expect(refusal(() => direct.fail(lease, 'late')).code).toBe('STALE_CLAIM')
    expect(direct.complete({ id, version: again?.version ?? 0 })).toMatchObject({ status: 'completed' })
    expect(await engine.workers()).toMatchObject([{ name: 'worker-1' }, { name: 'worker-2' }])
  })

  it('a direct verb runs due maintenance and returns the next due time', async () => {
    const { direct, clock } = await open()
    const { id } = direct.enqueue({ ...job, delayMs: 1_000 })
    expect(direct.upkeep()).toBe(clock.now() + 1_000)
    await clock.advance(1_000)
    expect(direct.upkeep()).toBeNull()
    expect(direct.get(id)?.status).toBe('pending')
  })

  it('a direct verb is refused once the engine closes', async () => {
    const { engine, direct } = await open()
    const closing = engine.close()
    await settle()
    expect(refusal(() => direct.enqueue(job)).code).toBe('CLOSED')
    await closing
  })

  it('a direct verb is refused while another connection holds the database, without side effects', async () => {
    const { engine, direct, store } = await open()
    const { commitNow } = store
    store.commitNow = () => {
      throw new StoreBusy('Another process is writing to the database.')
    }
    expect(refusal(() => direct.enqueue(job))).toMatchObject({
      code: 'BUSY',
      message: expect.stringMatching(/Nothing was stored/),
    })
    store.commitNow = commitNow
    direct.enqueue(job)
    await engine.enqueue(job)
    expect(await engine.counts()).toMatchObject({ pending: 2 })
  })

  it('a direct verb stops the engine when the store has failed', async () => {
    const { engine, direct, store, fatal } = await open()
    store.commitNow = () => {
      throw new StoreFailed('disk I/O error')
    }
    const queued = refused(engine.enqueue(job))
    expect(refusal(() => direct.enqueue(job)).code).toBe('STORE_FAILED')
    expect((await queued).code).toBe('STORE_FAILED')
    expect(refusal(() => direct.enqueue(job)).code).toBe('STORE_FAILED')
    expect(fatal).toMatchObject([{ message: 'disk I/O error' }])
  })
})

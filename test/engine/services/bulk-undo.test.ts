/** Undo of a bulk operation: restores unchanged jobs exactly and skips jobs that changed since. */
import { expect, it } from 'vitest'
import type { Engine } from '../../../server/engine/engine.ts'
import type { BulkInput } from '../../../shared/contracts/operate.ts'
import { HOUR, MINUTE, SECOND } from '../../../shared/limits.ts'
import { add, addMany, describeEngine, held, type Opened, refused, started, take, until } from '../../support/engine.ts'

async function finished({ engine, clock }: Opened, id: string, state: 'done' | 'undone'): Promise<void> {
  await clock.advance(0)
  await until(async () => (await engine.bulk({ id })).state === state)
}

async function run(opened: Opened, input: BulkInput & { actor?: string }): Promise<string> {
  const { id } = await opened.engine.startBulk(input)
  await finished(opened, id, 'done')
  return id
}

async function undo(opened: Opened, id: string): Promise<void> {
  await opened.engine.undoBulk({ id, actor: 'ada' })
  await finished(opened, id, 'undone')
}

/** All fields of all jobs except `updatedAt`. */
async function snapshot(engine: Engine) {
  const jobs = []
  for await (const { updatedAt, ...job } of engine.export()) jobs.push(job)
  return jobs
}

describeEngine('undo of bulk operations', (open) => {
  it('undo restores the exact earlier state, in chunks', async () => {
    const opened = await started(open())
    const { engine, store, clock } = opened
    await addMany(engine, 450, { delayMs: HOUR, priority: 3 })
    await clock.advance(7 * SECOND)
    const dead = await held(engine, { type: 'call' })
    await engine.fail({ id: dead.id, version: dead.version, error: 'no route', retry: false })
    const before = await snapshot(engine)
    const id = await run(opened, { action: 'runNow', filter: {} })
    expect((await engine.stats()).counts).toMatchObject({ scheduled: 0, pending: 450, failed: 1 })
    store.reset()
    await undo(opened, id)
    expect(store.count('bulkRevert')).toBeGreaterThanOrEqual(3)
    expect(await snapshot(engine)).toEqual(before)
    expect(await engine.bulk({ id })).toMatchObject({ changed: 450, undone: 450 })
    expect((await engine.stats()).counts).toMatchObject({ scheduled: 450, pending: 0, failed: 1 })
    expect((await engine.auditTrail({ target: id })).map(({ action }) => action)).toEqual(['bulk.undo', 'bulk.runNow'])
  })

  it('undo of an operation on listed ids restores these jobs and no others', async () => {
    const opened = await started(open())
    const { engine } = opened
    const all = [...(await addMany(engine, 600)), ...(await addMany(engine, 600))]
    const named = all.filter((_, n) => n % 6 < 5)
    const id = await run(opened, { action: 'cancel', filter: { ids: named, status: ['pending'] }, actor: 'anna' })
    expect(await engine.bulk({ id })).toMatchObject({ matched: 1_000, changed: 1_000, skipped: 0 })
    expect((await engine.list({ ids: named, status: ['cancelled'], limit: 1 })).total).toBe(1_000)
    expect((await engine.stats()).counts).toMatchObject({ cancelled: 1_000, pending: 200 })
    const moved = named[0] ?? ''
    await engine.retry({ id: moved, actor: 'bob' })
    await undo(opened, id)
    expect((await engine.stats()).counts).toMatchObject({ cancelled: 0, pending: 1_200 })
    const trail = async (target: string) =>
      (await engine.auditTrail({ target })).map(({ actor, action, details }) => [actor, action, details])
    const cancelled = ['anna', 'cancel', { bulk: id }]
    expect(await trail(named[1] ?? '')).toEqual([['ada', 'bulk.undo', { bulk: id }], cancelled])
    expect(await trail(moved)).toEqual([['bob', 'retry', {}], cancelled])
    expect(await trail(all[5] ?? '')).toEqual([])
    expect((await trail(id)).at(-1)).toEqual(['anna', 'bulk.cancel', { ids: 1_000, status: ['pending'] }])
    const { id: removal } = await engine.startBulk({ action: 'remove', filter: { ids: named.slice(0, 2) }, undoMs: 0 })
    await finished(opened, removal, 'done')
    expect((await engine.list({ limit: 1 })).total).toBe(1_198)
  })

  it('undo skips a job that was claimed since', async () => {
    const opened = await started(open())
    const { engine } = opened
    for (let n = 0; n < 3; n++) {
      const job = await held(engine)
      await engine.fail({ id: job.id, version: job.version, error: `no route ${n}`, retry: false })
    }
    const id = await run(opened, { action: 'retry', filter: { status: ['failed'] } })
    const claimed = await take(engine)
    const released = await take(engine)
    await engine.release({ id: released.id, version: released.version })
    await undo(opened, id)
    expect(await engine.bulk({ id })).toMatchObject({ changed: 3, undone: 1 })
    const { jobs } = await engine.list({ sort: 'oldest' })
    expect(jobs.map(({ status }) => status)).toEqual(['processing', 'pending', 'failed'])
    expect(jobs[2]).toMatchObject({ attempts: 1, error: 'no route 2' })
    expect((await engine.complete({ id: claimed.id, version: claimed.version })).status).toBe('completed')
  })

  it('undo of a cancel request keeps the extended lease', async () => {
    const opened = await started(open())
    const { engine, clock } = opened
    const { id, version } = await held(engine, {}, { leaseMs: 2 * SECOND })
    const bulk = await run(opened, { action: 'cancel', filter: {} })
    const beat = () => engine.heartbeat({ worker: 'worker-1', leases: [{ id, version }] })
    for (let n = 0; n < 5; n++) {
      await clock.advance(SECOND)
      expect((await beat()).cancelled).toEqual([id])
    }
    await undo(opened, bulk)
    expect(await engine.get({ id })).toMatchObject({ cancelRequestedAt: null, leaseUntil: clock.now() + 2 * SECOND })
    await clock.advance(SECOND)
    expect((await beat()).extended).toEqual([id])
  })

  it('undo skips a job whose key another job holds now', async () => {
    const opened = await started(open())
    const { engine } = opened
    const key = { dedupeKey: 'invoice-7', dedupeUntil: 'finished' as const }
    const first = await add(engine, key)
    const id = await run(opened, { action: 'cancel', filter: {} })
    await add(engine, key)
    await undo(opened, id)
    expect([(await engine.get({ id: first })).status, (await engine.bulk({ id })).undone]).toEqual(['cancelled', 0])
  })

  it('undo is possible until undoMs after the operation has ended', async () => {
    const opened = await started(open())
    const { engine, clock } = opened
    await addMany(engine, 2)
    const early = await run(opened, { action: 'cancel', filter: {}, undoMs: 5 * SECOND })
    await clock.advance(5 * SECOND)
    await undo(opened, early)
    const late = await run(opened, { action: 'cancel', filter: {}, undoMs: 5 * SECOND })
    await clock.advance(5 * SECOND + 1)
    expect((await refused(engine.undoBulk({ id: late }))).code).toBe('WRONG_STATE')
    expect((await engine.stats()).counts.cancelled).toBe(2)
  })

  it('undo stops a running operation and restores its changes', async () => {
    const opened = await started(open())
    const { engine, clock } = opened
    await addMany(engine, 1_000)
    const { id } = await engine.startBulk({ action: 'cancel', filter: {} })
    let undoing: Promise<unknown> | undefined
    engine.events.subscribe(({ event }) => {
      if (event.kind === 'bulk') undoing ??= engine.undoBulk({ id })
    })
    await clock.advance(0)
    await finished(opened, id, 'undone')
    await undoing
    const { changed, undone } = await engine.bulk({ id })
    expect([changed < 1_000, undone]).toEqual([true, changed])
    expect((await engine.stats()).counts).toMatchObject({ pending: 1_000, cancelled: 0 })
  })

  it('undo prevents a removal that has not started', async () => {
    const { engine, clock } = await started(open())
    await addMany(engine, 5)
    const { id, state } = await engine.startBulk({ action: 'remove', filter: {}, undoMs: 10 * SECOND })
    await clock.advance(10 * SECOND - 1)
    expect([state, (await engine.stats()).counts.pending]).toEqual(['waiting', 5])
    expect(await engine.undoBulk({ id })).toMatchObject({ state: 'undone' })
    await clock.advance(MINUTE)
    expect((await engine.stats()).counts.pending).toBe(5)
  })

  it('undo is refused for a removal that has started', async () => {
    const opened = await started(open())
    const { engine, clock } = opened
    await addMany(engine, 5)
    const { id } = await engine.startBulk({ action: 'remove', filter: {}, undoMs: 10 * SECOND })
    await clock.advance(10 * SECOND)
    await finished(opened, id, 'done')
    expect((await engine.list()).total).toBe(0)
    expect((await refused(engine.undoBulk({ id }))).message).toContain('before its first job is removed')
  })

  it('undo finishes even when it takes longer than undoMs', async () => {
    const opened = await open()
    const { engine, store, clock } = opened
    await addMany(engine, 3)
    const { id } = await engine.startBulk({ action: 'cancel', filter: {}, undoMs: 5 * SECOND })
    const { ids } = await store.match({ filter: {}, before: Number.MAX_SAFE_INTEGER, limit: 10 })
    const from = (await engine.bulk({ id })).cursor
    await store.commit([{ kind: 'bulkApply', id, from, jobs: ids, cursor: null }])
    await engine.undoBulk({ id })
    await clock.advance(MINUTE)
    const kept = { minutesOlderThanMs: HOUR, depthsOlderThanMs: HOUR, workersOlderThanMs: HOUR, auditOlderThanMs: HOUR }
    await store.commit([{ kind: 'trim', ...kept, limit: 100 }])
    engine.start()
    await finished(opened, id, 'undone')
    expect((await engine.stats()).counts).toMatchObject({ pending: 3, cancelled: 0 })
  })
})

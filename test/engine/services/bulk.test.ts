/** Bulk operations: all matching jobs, chunk by chunk, with progress and cancellation. */
import { expect, it } from 'vitest'
import type { Engine } from '../../../server/engine/engine.ts'
import type { Op } from '../../../server/store/ops.ts'
import { MINUTE, SECOND } from '../../../shared/limits.ts'
import { add, addMany, describeEngine, held, refused, started, until } from '../../support/engine.ts'

async function fail(engine: Engine, count: number, error = 'no route'): Promise<void> {
  for (let left = count; left > 0; left -= 100) {
    const jobs = await engine.claim({ worker: 'worker-1', limit: Math.min(100, left) })
    await engine.exchange({
      worker: 'worker-1',
      settle: jobs.map(({ id, version }) => ({ kind: 'fail', id, version, error, retry: false })),
    })
  }
}

const state = async (engine: Engine, id: string) => (await engine.bulk({ id })).state

describeEngine('bulk operations', (open) => {
  it('a bulk retry changes all matching jobs in chunks, with progress', async () => {
    const { engine, store, clock } = await started(open())
    await addMany(engine, 1_000)
    await fail(engine, 1_000)
    await addMany(engine, 3, { type: 'call' })
    await engine.claim({ worker: 'worker-1', types: ['call'], limit: 3 })
    store.reset()
    const filter = { status: ['failed' as const], type: 'mail' }
    const { id, state: first } = await engine.startBulk({ action: 'retry', filter, actor: 'ada' })
    expect(first).toBe('running')
    const progress: number[] = []
    engine.events.subscribe(({ event }) => {
      if (event.kind === 'bulk' && event.id === id) engine.bulk({ id }).then((bulk) => progress.push(bulk.changed))
    })
    await clock.advance(0)
    await until(async () => (await state(engine, id)) === 'done')
    expect(await engine.bulk({ id })).toMatchObject({ matched: 1_000, changed: 1_000, skipped: 0, actor: 'ada' })
    expect(store.count('bulkApply')).toBeGreaterThanOrEqual(5)
    expect(progress).toEqual(progress.toSorted((a, b) => a - b))
    expect(new Set(progress).size).toBeGreaterThanOrEqual(4)
    expect((await engine.stats()).counts).toMatchObject({ pending: 1_000, failed: 0, processing: 3 })
    expect(await engine.auditTrail({ target: id })).toMatchObject([{ actor: 'ada', action: 'bulk.retry' }])
  })

  it('a bulk retry of a failure group does not include a similar group', async () => {
    const { engine, clock } = await started(open())
    await addMany(engine, 250)
    await fail(engine, 250, 'disk 1 is full')
    await addMany(engine, 3)
    await fail(engine, 3, 'disk 1 is full of dust')
    const filter = { status: ['failed' as const], type: 'mail', errorKey: 'disk <n> is full' }
    const { id } = await engine.startBulk({ action: 'retry', filter })
    await clock.advance(0)
    await until(async () => (await state(engine, id)) === 'done')
    expect(await engine.bulk({ id })).toMatchObject({ matched: 250, changed: 250, filter })
    expect((await engine.list({ status: ['failed'] })).jobs.map(({ error }) => error)).toEqual(
      Array.from({ length: 3 }, () => 'disk 1 is full of dust'),
    )
  })

  it('a bulk operation lets other calls through between chunks', async () => {
    const { engine, store, clock } = await started(open())
    await addMany(engine, 1_000, { delayMs: MINUTE })
    store.reset()
    await engine.startBulk({ action: 'cancel', filter: {} })
    let between: Promise<string> | undefined
    engine.events.subscribe(({ event }) => {
      if (event.kind === 'bulk') between ??= add(engine, { type: 'call' })
    })
    await clock.advance(0)
    await until(() => store.count('bulkApply') >= 5)
    const kinds = store.committed.map((ops) => ops.map(({ kind }) => kind).join())
    expect(kinds.indexOf('enqueue')).toBeLessThan(kinds.lastIndexOf('bulkApply'))
    expect(await between).toBeTypeOf('string')
  })

  it.each(['cancel', 'runNow', 'remove'] as const)(
    'a bulk %s changes jobs whose status allows it, and skips the rest',
    async (action) => {
      const { engine, clock } = await started(open())
      const running = await held(engine)
      const later = await add(engine, { delayMs: MINUTE })
      const done = await held(engine, { type: 'call' })
      await engine.complete({ id: done.id, version: done.version })
      const { id } = await engine.startBulk({ action, filter: {}, undoMs: 0 })
      await clock.advance(0)
      await until(async () => (await state(engine, id)) === 'done')
      const { matched, changed, skipped } = await engine.bulk({ id })
      const jobs = (await engine.list({ sort: 'oldest' })).jobs.map((job) => [job.id, job.status])
      const outcome = { matched, changed, skipped, jobs }
      expect(outcome).toEqual(
        {
          cancel: {
            matched: 3,
            changed: 2,
            skipped: 1,
            jobs: [
              [running.id, 'processing'],
              [later, 'cancelled'],
              [done.id, 'completed'],
            ],
          },
          runNow: {
            matched: 3,
            changed: 1,
            skipped: 2,
            jobs: [
              [running.id, 'processing'],
              [later, 'pending'],
              [done.id, 'completed'],
            ],
          },
          remove: { matched: 3, changed: 2, skipped: 1, jobs: [[running.id, 'processing']] },
        }[action],
      )
    },
  )

  it('a bulk operation does not change jobs that were enqueued after its start', async () => {
    const { engine, clock } = await open()
    await addMany(engine, 300)
    const { id } = await engine.startBulk({ action: 'cancel', filter: { type: 'mail' } })
    const later = await addMany(engine, 300)
    engine.start()
    await clock.advance(0)
    await until(async () => (await state(engine, id)) === 'done')
    expect((await engine.stats()).counts).toMatchObject({ cancelled: 300, pending: 300 })
    expect((await engine.get({ id: later[0] ?? '' })).status).toBe('pending')
  })

  it('a cancelled bulk operation stops midway and keeps its changes', async () => {
    const { engine, store, clock } = await started(open())
    await addMany(engine, 1_000)
    const { id } = await engine.startBulk({ action: 'cancel', filter: {} })
    let cancelling: Promise<unknown> | undefined
    engine.events.subscribe(({ event }) => {
      if (event.kind === 'bulk') cancelling ??= engine.cancelBulk({ id })
    })
    await clock.advance(0)
    await until(async () => (await state(engine, id)) === 'cancelled')
    await cancelling
    const { changed, finishedAt } = await engine.bulk({ id })
    expect([changed > 0, changed < 1_000, finishedAt]).toEqual([true, true, clock.now()])
    store.reset()
    await clock.advance(MINUTE)
    expect([(await engine.stats()).counts.cancelled, store.count('bulkApply')]).toEqual([changed, 0])
    expect(await engine.cancelBulk({ id })).toMatchObject({ state: 'cancelled' })
  })

  it('a bulk operation continues where it stopped when another engine takes over', async () => {
    const { engine, store, another } = await open()
    await addMany(engine, 1_000)
    const { id } = await engine.startBulk({ action: 'cancel', filter: {} })
    const { ids: chunk, cursor } = await store.match({ filter: {}, before: Number.MAX_SAFE_INTEGER, limit: 250 })
    const from = (await engine.bulk({ id })).cursor
    await store.commit([{ kind: 'bulkApply', id, from, jobs: chunk, cursor }])
    await engine.close()
    const { engine: next } = await started(another())
    await until(async () => (await state(next, id)) === 'done')
    expect(await next.bulk({ id })).toMatchObject({ matched: 1_000, changed: 1_000, skipped: 0 })
  })

  it('a bulk operation that fails ends alone and blocks no other', async () => {
    const { engine, store, clock, errors } = await started(open())
    await addMany(engine, 3)
    // The operation without matches fails when it stores its end.
    const isBad = (op: Op) => op.kind === 'bulkApply' && op.jobs.length === 0
    store.fault = (ops) => (ops.some(isBad) ? new Error('cannot go on') : null)
    const bad = await engine.startBulk({ action: 'cancel', filter: { type: 'poison' } })
    const good = await engine.startBulk({ action: 'cancel', filter: {} })
    await clock.advance(1)
    await until(async () => (await state(engine, good.id)) === 'done')
    expect(await state(engine, bad.id)).toBe('cancelled')
    expect(errors.splice(0)).toEqual([expect.objectContaining({ message: 'cannot go on' })])
  })

  it('a bulk operation starts within seconds when another engine leads', async () => {
    const first = await started(open())
    const second = await started(first.another())
    await addMany(second.engine, 10)
    const { id } = await second.engine.startBulk({ action: 'cancel', filter: {} })
    await first.clock.advance(5 * SECOND)
    expect(await state(second.engine, id)).toBe('done')
  })

  it('bulk verbs refuse unknown ids, unknown actions and a cancel after the end', async () => {
    const { engine, clock } = await started(open())
    const missing = '018f6f0e-0000-7000-8000-00000000dead'
    expect((await refused(engine.bulk({ id: missing }))).code).toBe('NOT_FOUND')
    expect((await refused(engine.cancelBulk({ id: missing }))).code).toBe('NOT_FOUND')
    expect((await refused(engine.undoBulk({ id: 'seven' }))).code).toBe('BAD_INPUT')
    expect((await refused(engine.startBulk({ action: 'shred' as never, filter: {} }))).code).toBe('BAD_INPUT')
    const { id } = await engine.startBulk({ action: 'cancel', filter: {} })
    await clock.advance(0)
    await until(async () => (await state(engine, id)) === 'done')
    expect((await refused(engine.cancelBulk({ id }))).code).toBe('WRONG_STATE')
  })
})

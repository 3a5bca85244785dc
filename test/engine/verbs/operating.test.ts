/** Verbs of operators: actions on jobs, cleanup, draining workers, and the audit trail. */

import { expect, it } from 'vitest'
import type { Engine } from '../../../server/engine/engine.ts'
import { ERRORS } from '../../../shared/errors.ts'
import { DAY, HOUR } from '../../../shared/limits.ts'
import { add, addMany, describeEngine, held, refused, take } from '../../support/engine.ts'

const MISSING = '018f6f0e-0000-7000-8000-00000000dead'

describeEngine('operating', (open) => {
  it('retry, runNow and remove change a job, and are refused if its status does not allow them', async () => {
    const { engine } = await open()
    const id = await add(engine, { delayMs: HOUR })
    expect(await engine.runNow({ id })).toEqual({ id, status: 'pending', changed: true })
    expect(await engine.runNow({ id })).toEqual({ id, status: 'pending', changed: false })
    expect((await refused(engine.retry({ id }))).code).toBe('WRONG_STATE')
    const job = await take(engine)
    const removal = await refused(engine.remove({ id }))
    expect([removal.code, ERRORS[removal.code].http]).toEqual(['WRONG_STATE', 409])
    expect(removal.message).toContain('cancel it first')
    await engine.fail({ id, version: job.version, error: 'no route', retry: false })
    expect(await engine.retry({ id })).toEqual({ id, status: 'pending', changed: true })
    expect(await engine.remove({ id })).toEqual({ id, status: 'pending', changed: true })
    expect((await refused(engine.get({ id }))).code).toBe('NOT_FOUND')
  })

  it.each(['retry', 'runNow', 'cancel', 'remove'] as const)('%s refuses an unknown job', async (verb) => {
    const { engine } = await open()
    const refusal = await refused(engine[verb]({ id: MISSING }))
    expect([refusal.code, ERRORS[refusal.code].http]).toEqual(['NOT_FOUND', 404])
    expect((await refused(engine[verb]({ id: 'seven' }))).code).toBe('BAD_INPUT')
  })

  it('retry refuses a job whose key another job holds now, and names that job', async () => {
    const { engine } = await open()
    const key = { dedupeKey: 'invoice-7', dedupeUntil: 'finished' as const }
    const first = await held(engine, key)
    await engine.fail({ id: first.id, version: first.version, error: 'no route', retry: false })
    const second = await add(engine, key)
    const refusal = await refused(engine.retry({ id: first.id }))
    expect([refusal.code, refusal.details.holder]).toEqual(['DUPLICATE_KEY', second])
    expect((await engine.get({ id: first.id })).status).toBe('failed')
  })

  it('cleanup removes only completed jobs past their retention by default', async () => {
    const { engine, clock } = await open()
    const dead = await held(engine)
    await engine.fail({ id: dead.id, version: dead.version, error: 'no route', retry: false })
    await addMany(engine, 600)
    for (let n = 0; n < 6; n++) await engine.claim({ worker: 'worker-1', limit: 100, settle: true })
    await add(engine)
    expect(await engine.cleanup()).toEqual({ removed: 0 })
    await clock.advance(29 * DAY)
    await engine.claim({ worker: 'worker-1', settle: true })
    await clock.advance(DAY)
    expect(await engine.cleanup()).toEqual({ removed: 600 })
    expect((await engine.stats()).counts).toMatchObject({ completed: 1, failed: 1 })
    expect(await engine.cleanup({ olderThanMs: 0, type: 'call' })).toEqual({ removed: 0 })
    expect(await engine.cleanup({ olderThanMs: 0, status: ['failed'] })).toEqual({ removed: 1 })
    expect(await engine.cleanup({ olderThanMs: 0 })).toEqual({ removed: 1 })
    expect(await engine.list()).toMatchObject({ jobs: [], total: 0 })
  })

  it('a refused cleanup removes nothing', async () => {
    const { engine } = await open()
    await add(engine)
    await engine.claim({ worker: 'worker-1', settle: true })
    const calls = [
      engine.cleanup({ olderThanMs: -1 }),
      engine.cleanup({ status: ['pending'] as never, olderThanMs: 0 }),
      engine.cleanup({ olderThanMs: 0, actor: '' }),
    ]
    expect((await Promise.all(calls.map(refused))).map(({ code }) => code)).toEqual(Array(3).fill('BAD_INPUT'))
    expect((await engine.stats()).counts.completed).toBe(1)
  })

  it('a draining worker gets no new jobs, sees the drain in its heartbeat, and finishes its jobs', async () => {
    const { engine } = await open()
    const job = await held(engine)
    await addMany(engine, 2)
    await engine.drainWorker({ worker: 'worker-1' })
    const leases = [{ id: job.id, version: job.version }]
    expect(await engine.heartbeat({ worker: 'worker-1', leases })).toMatchObject({ draining: true, extended: [job.id] })
    const settle = [{ kind: 'complete' as const, id: job.id, version: job.version }]
    const { settled, jobs } = await engine.exchange({ worker: 'worker-1', settle, claim: {} })
    expect([settled.map(({ ok }) => ok), jobs]).toEqual([[true], []])
    expect(await engine.claim({ worker: 'worker-2' })).toHaveLength(1)
    expect((await engine.workers()).map((one) => [one.name, one.drainRequestedAt !== null, one.processing])).toEqual([
      ['worker-1', true, 0],
      ['worker-2', false, 1],
    ])
    await engine.drainWorker({ worker: 'worker-1', drain: false })
    expect(await engine.claim({ worker: 'worker-1' })).toHaveLength(1)
    expect((await refused(engine.drainWorker({ worker: 'unknown' }))).code).toBe('NOT_FOUND')
  })

  it('a drain applies to the current process, not to the next one with the same worker name', async () => {
    const { engine, clock, another } = await open()
    const { engine: other } = await another()
    await addMany(engine, 3)
    const claim = (on: Engine, process: string) => on.claim({ worker: 'core-2', about: { process } })
    expect(await claim(engine, 'first')).toHaveLength(1)
    await engine.drainWorker({ worker: 'core-2' })
    await clock.advance(10_000)
    expect([await claim(engine, 'first'), await claim(other, 'first')]).toEqual([[], []])
    const startedAt = clock.now()
    expect(await claim(other, 'second')).toHaveLength(1)
    expect(await claim(engine, 'second')).toHaveLength(1)
    expect(await engine.heartbeat({ worker: 'core-2', leases: [] })).toMatchObject({ draining: false })
    expect(await engine.workers()).toMatchObject([{ name: 'core-2', startedAt, drainRequestedAt: null }])
  })

  it('a worker that sends only heartbeats keeps its types', async () => {
    const { engine, clock, another } = await open()
    const job = await held(engine, {}, { types: ['mail'] })
    await clock.advance(10_000)
    const { engine: restarted } = await another()
    await restarted.heartbeat({ worker: 'worker-1', leases: [{ id: job.id, version: job.version }] })
    expect(await restarted.workers()).toMatchObject([{ name: 'worker-1', types: ['mail'], seenAt: clock.now() }])
  })

  it('changed details of a worker are stored at once, unchanged ones at most every 5 s', async () => {
    const { engine, clock, store } = await open()
    const claim = (about?: { slots?: number; version?: string }) =>
      engine.claim({ worker: 'worker-1', types: ['mail'], ...(about && { about }) })
    const details = async () => (await engine.workers()).map(({ slots, version }) => [slots, version])
    const writes = () => store.committed.flat().filter(({ kind }) => kind === 'seeWorker').length
    await engine.heartbeat({ worker: 'worker-1', leases: [] })
    expect(await details()).toEqual([[null, null]])
    await claim({ slots: 10, version: 'v1' })
    expect(await details()).toEqual([[10, 'v1']])
    store.reset()
    await clock.advance(1_000)
    await claim({ slots: 10, version: 'v1' })
    await engine.heartbeat({ worker: 'worker-1', leases: [] })
    expect(writes()).toBe(0)
    await engine.exchange({ worker: 'worker-1', claim: { types: ['mail'], about: { slots: 10, version: 'v2' } } })
    expect([await details(), writes()]).toEqual([[[10, 'v2']], 1])
    await clock.advance(5_000)
    await engine.heartbeat({ worker: 'worker-1', leases: [] })
    expect([await details(), writes()]).toEqual([[[10, 'v2']], 2])
    // The next process with the same name reports no details.
    await claim()
    expect([await details(), writes()]).toEqual([[[null, null]], 3])
  })

  it('the audit trail records actor, action and target, newest first', async () => {
    const { engine, clock } = await open()
    const id = await add(engine, { delayMs: HOUR })
    await held(engine, { type: 'call' })
    const actor = 'ada'
    await engine.runNow({ id, actor })
    await engine.cancel({ id, actor })
    await engine.cancel({ id, actor })
    await engine.retry({ id })
    await clock.advance(1_000)
    await engine.remove({ id, actor })
    await engine.pauseType({ name: 'mail', actor })
    await engine.updateSettings({ set: { maxAttempts: 5 }, clear: ['rate'], actor })
    await engine.drainWorker({ worker: 'worker-1', actor })
    await engine.drainWorker({ worker: 'worker-1', drain: false, actor })
    await engine.cleanup({ olderThanMs: HOUR, actor })
    await engine.audit({ action: 'tokens.create', target: 'token-9', details: { scope: 'read' }, actor })
    const trail = await engine.auditTrail()
    expect(trail.map((one) => [one.actor, one.action, one.target]).reverse()).toEqual([
      [actor, 'runNow', id],
      [actor, 'cancel', id],
      ['local', 'retry', id],
      [actor, 'remove', id],
      [actor, 'types.update', 'mail'],
      [actor, 'settings.update', null],
      [actor, 'workers.drain', 'worker-1'],
      [actor, 'workers.undrain', 'worker-1'],
      [actor, 'cleanup', null],
      [actor, 'tokens.create', 'token-9'],
    ])
    expect(trail.find(({ action }) => action === 'settings.update')?.details).toEqual({
      set: { maxAttempts: 5 },
      clear: ['rate'],
    })
    expect(trail.at(-1)?.at).toBe(clock.now() - 1_000)
    expect((await engine.auditTrail({ target: id })).map(({ action }) => action)).toEqual([
      'remove',
      'retry',
      'cancel',
      'runNow',
    ])
    const [newest] = trail
    const older = await engine.auditTrail({ before: newest?.id ?? 0, limit: 2 })
    expect(older.map(({ action }) => action)).toEqual(['cleanup', 'workers.undrain'])
  })
})

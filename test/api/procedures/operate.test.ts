/** Operator actions over HTTP: invalid ones are refused, and the audit trail names the caller. */
import { expect, it } from 'vitest'
import { HOUR } from '../../../shared/limits.ts'
import { add, held, take } from '../../support/engine.ts'
import { call } from '../../support/server.ts'
import { given, ok, refused, refusedWith } from '../support/responses.ts'
import { describeApi, MISSING, type, type World } from '../support/world.ts'

const idOf = (world: World, key: 'waiting' | 'late' | 'failed' | 'held') =>
  key === 'held' ? world.held.id : world[key]

describeApi('actions on jobs', ({ openServer, openWorld }) => {
  it.each([
    ['retry', 'waiting', 'pending'],
    ['retry', 'late', 'scheduled'],
    ['retry', 'held', 'processing'],
    ['runNow', 'failed', 'failed'],
    ['runNow', 'held', 'processing'],
    ['cancel', 'failed', 'failed'],
    ['remove', 'held', 'processing'],
  ] as const)('refuses to %s a job that is %s', async (verb, key, status) => {
    const world = await openWorld()
    const id = idOf(world, key)
    const before = await world.server.engine.get({ id })
    const refusal = await refused(world.server, verb, { id })
    expect(refusal).toMatchObject({ status: 409, code: 'WRONG_STATE', details: { id, status } })
    expect(await world.server.engine.get({ id })).toEqual({ ...before, leaseUntil: anyLease(before.leaseUntil) })
  })

  it.each([
    ['runNow', 'waiting', 'pending'],
    ['cancel', 'held', 'processing'],
  ] as const)('reports that a second %s changed nothing', async (verb, key, status) => {
    const world = await openWorld()
    const id = idOf(world, key)
    await ok(world.server, verb, { id })
    expect(await ok(world.server, verb, { id })).toEqual({ id, status, changed: false })
  })

  it('remove deletes a job permanently', async () => {
    const { server, waiting } = await openWorld()
    await ok(server, 'remove', { id: waiting })
    expect(await refusedWith(server, 'get', { id: waiting })).toEqual([404, 'NOT_FOUND'])
    expect(await refusedWith(server, 'remove', { id: waiting })).toEqual([404, 'NOT_FOUND'])
  })

  it('retry refuses a job whose key another job holds now, and names the holder', async () => {
    const server = await openServer()
    const key = { dedupeKey: 'invoice-7', dedupeUntil: 'finished' as const }
    const first = await held(server.engine, key)
    await ok(server, 'fail', { id: first.id, version: first.version, error: 'no route', retry: false })
    const holder = await add(server.engine, key)
    const refusal = await refused(server, 'retry', { id: first.id })
    expect(refusal).toMatchObject({ status: 409, code: 'DUPLICATE_KEY', details: { holder } })
    expect((await server.engine.get({ id: first.id })).status).toBe('failed')
  })

  it('cleanup removes jobs that are old enough, with defaults when it has no body', async () => {
    const { server } = await openWorld()
    expect(given(await call(server, 'cleanup', 'mutation'))).toEqual({ removed: 0 })
    expect(await ok(server, 'cleanup', { olderThanMs: 0, status: ['failed'], type: 'mail' })).toEqual({ removed: 0 })
    expect(await ok(server, 'cleanup', { olderThanMs: 0, status: ['failed'], type: 'call' })).toEqual({ removed: 1 })
  })
})

describeApi('types, settings and workers', ({ openServer, openWorld }) => {
  it('types.get returns declared, overridden and effective settings', async () => {
    const server = await openServer()
    const settings = { maxAttempts: 7, rate: 50, payloadSchema: { type: 'object' } }
    expect(await ok(server, 'types.declare', { types: [{ name: 'mail', settings }] })).toBeUndefined()
    expect(await ok(server, 'types.update', { name: 'mail', set: { maxAttempts: 9, rate: null } })).toBeUndefined()
    expect(await ok(server, 'types.get', { name: 'mail' })).toEqual(
      type({ declared: settings, override: { maxAttempts: 9, rate: null } }, { maxAttempts: 9 }),
    )
    await ok(server, 'types.update', { name: 'mail', clear: ['maxAttempts', 'rate'] })
    expect(await ok(server, 'types.list')).toEqual([
      type({ declared: settings }, { maxAttempts: 7, rate: 50, burst: 50 }),
    ])
  })

  it('types.declare refuses another kind for an existing type', async () => {
    const { server } = await openWorld()
    const types = [
      { name: 'sms', kind: 'message' },
      { name: 'mail', kind: 'message' },
    ]
    const refusal = await refused(server, 'types.declare', { types })
    expect(refusal).toMatchObject({ status: 409, code: 'WRONG_STATE', details: { type: 'mail' } })
    expect(await refusedWith(server, 'types.get', { name: 'sms' })).toEqual([404, 'NOT_FOUND'])
  })

  it('claim returns no jobs of a paused type or a paused queue', async () => {
    const { server, waiting } = await openWorld()
    const claim = () => ok<unknown[]>(server, 'claim', { worker: 'worker-2' })
    await ok(server, 'types.pause', { name: 'mail' })
    expect(await ok(server, 'explain', { id: waiting })).toMatchObject({ reason: 'type_paused' })
    expect(await claim()).toEqual([])
    await ok(server, 'types.resume', { name: 'mail' })
    await ok(server, 'settings.pause')
    expect(await ok(server, 'settings.get')).toEqual({ paused: true })
    expect(await ok(server, 'explain', { id: waiting })).toMatchObject({ reason: 'queue_paused' })
    expect(await claim()).toEqual([])
    await ok(server, 'settings.resume')
    expect(await claim()).toHaveLength(1)
  })

  it('a queue setting applies until it is cleared', async () => {
    const { server } = await openWorld()
    await ok(server, 'settings.update', { set: { maxAttempts: 5, leaseMs: 60_000 } })
    expect(await ok(server, 'settings.get')).toEqual({ maxAttempts: 5, leaseMs: 60_000 })
    expect(await ok(server, 'types.get', { name: 'mail' })).toEqual(type({}, { maxAttempts: 5, leaseMs: 60_000 }))
    await ok(server, 'settings.update', { clear: ['maxAttempts'] })
    expect(await ok(server, 'settings.get')).toEqual({ leaseMs: 60_000 })
  })

  it('claim returns no jobs to a draining worker until the drain is withdrawn', async () => {
    const { server, waiting } = await openWorld()
    const claim = { worker: 'worker-1', types: ['mail'] }
    await ok(server, 'workers.drain', { worker: 'worker-1' })
    expect(await ok(server, 'workers.list')).toMatchObject([{ drainRequestedAt: expect.any(Number), processing: 1 }])
    expect(await ok(server, 'claim', claim)).toEqual([])
    await ok(server, 'workers.drain', { worker: 'worker-1', drain: false })
    expect(await ok(server, 'claim', claim)).toMatchObject([{ id: waiting }])
  })
})

describeApi('the audit trail', ({ openServer }) => {
  it('the audit trail names the caller for every action, and an actor in the input is refused', async () => {
    const server = await openServer({ AUTH_TOKEN: 'a-secret-of-some-length' })
    const { engine } = server
    const headers = { authorization: 'Bearer a-secret-of-some-length' }
    const act = async (procedure: string, input?: unknown) =>
      given<{ id: string }>(await call(server, procedure, 'mutation', input, headers))
    const [id, dead] = [await add(engine, { delayMs: HOUR }), await add(engine, { type: 'call' })]
    const job = await take(engine, { types: ['call'] })
    await engine.fail({ id: dead, version: job.version, error: 'no route', retry: false })
    await act('retry', { id: dead })
    await act('runNow', { id })
    await act('cancel', { id })
    await act('remove', { id })
    await act('cleanup', { olderThanMs: HOUR })
    await act('types.update', { name: 'mail', set: { rate: 5 } })
    await act('types.pause', { name: 'mail' })
    await act('types.resume', { name: 'mail' })
    await act('settings.update', { set: { maxAttempts: 5 } })
    await act('settings.pause')
    await act('settings.resume')
    await act('workers.drain', { worker: 'worker-1' })
    const bulk = await act('bulk.start', { action: 'remove', filter: { type: 'fax' }, undoMs: 60_000 })
    await act('bulk.cancel', { id: bulk.id })
    const other = await act('bulk.start', { action: 'remove', filter: { type: 'sms' }, undoMs: 60_000 })
    await act('bulk.undo', { id: other.id })
    const trail = await engine.auditTrail()
    expect(trail.map(({ action, target }) => [action, target]).reverse()).toEqual([
      ['retry', dead],
      ['runNow', id],
      ['cancel', id],
      ['remove', id],
      ['cleanup', null],
      ...Array(3).fill(['types.update', 'mail']),
      ...Array(3).fill(['settings.update', null]),
      ['workers.drain', 'worker-1'],
      ['bulk.remove', bulk.id],
      ['bulk.stop', bulk.id],
      ['bulk.remove', other.id],
      ['bulk.undo', other.id],
    ])
    expect([...new Set(trail.map(({ actor }) => actor))]).toEqual(['token'])
    expect((await call(server, 'retry', 'mutation', { id: MISSING, actor: 'ada' }, headers)).status).toBe(400)
  })
})

/** A server that has just started may renew the lease. */
function anyLease(leaseUntil: number | null): unknown {
  return leaseUntil === null ? null : expect.any(Number)
}

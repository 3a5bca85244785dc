/** The procedure `batch`: each operation is checked and answered as a single call. */
import { request as httpRequest } from 'node:http'
import { expect, it, vi } from 'vitest'
import type { BatchOutcome } from '../../shared/contracts/batch.ts'
import { limits } from '../../shared/limits.ts'
import type { Scope } from '../../shared/scopes.ts'
import { VERB_NAMES, VERBS, type Verb } from '../../shared/verbs/verbs.ts'
import { until } from '../support/engine.ts'
import { call, type TestServer } from '../support/server.ts'
import { given, refused } from './support/responses.ts'
import { PROCEDURES } from './support/table.ts'
import { describeApi, MISSING, picture } from './support/world.ts'

interface Op {
  readonly verb: string
  readonly input?: unknown
}

async function send(server: TestServer, ops: readonly Op[], token?: string): Promise<BatchOutcome['outcomes']> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  return given<BatchOutcome>(await call(server, 'batch', 'mutation', { ops }, headers)).outcomes
}

const job = (payload: unknown, type = 'mail'): Op => ({ verb: 'enqueue', input: { type, payload } })
const stored = { ok: true, value: expect.objectContaining({ status: 'pending' }) }
const failed = (code: string, details: unknown = expect.anything()) => ({
  ok: false,
  error: { code, message: expect.any(String), details },
})
const inputOf = (verb: Verb) => PROCEDURES[VERBS[verb].path]

describeApi('a batch of operations', ({ openServer, openWorld }) => {
  it.each(VERB_NAMES)('an operation of a batch returns what the single call returns: %s', async (verb) => {
    const world = await openWorld()
    const row = inputOf(verb)
    const [outcome] = await send(world.server, [{ verb, input: row?.input?.(world) }])
    expect(outcome).toEqual({ ok: true, ...(row?.answer && { value: row.answer(world) }) })
  })

  it.each(VERB_NAMES.filter((verb) => inputOf(verb)?.bad))(
    'an operation with a bad input fails as the single call, and alone: %s',
    async (verb) => {
      const world = await openWorld()
      const [bad] = inputOf(verb)?.bad ?? []
      const { message, details } = await refused(world.server, VERBS[verb].path, bad)
      const outcomes = await send(world.server, [{ verb, input: bad }, { verb: 'facts' }])
      expect(outcomes).toEqual([
        { ok: false, error: { code: 'BAD_INPUT', message, details } },
        { ok: true, value: expect.anything() },
      ])
    },
  )

  it('writes of one batch share one transaction', async () => {
    const server = await openServer()
    const { commitOperations } = server.engine.metrics
    // Commits of three or more operations. A write of a background service may be in the same commit.
    const large = () => commitOperations.counts.slice(commitOperations.bounds.indexOf(4)).reduce((sum, n) => sum + n, 0)
    const before = large()
    await send(server, [job(1), job(2), { verb: 'complete', input: { id: MISSING, version: 1 } }, job(3)])
    expect(large()).toBe(before + 1)
    expect((await server.engine.counts()).pending).toBe(3)
  })

  it('an operation that fails changes nothing, and the others are stored', async () => {
    const { server } = await openWorld()
    const many = {
      jobs: [
        { type: 'mail', payload: 1 },
        { type: '', payload: 2 },
      ],
    }
    const outcomes = await send(server, [
      job(1),
      { verb: 'enqueueMany', input: many },
      { verb: 'complete', input: { id: MISSING, version: 1 } },
      { verb: 'cancel', input: { id: MISSING } },
      job(2),
    ])
    expect(outcomes).toEqual([stored, failed('BAD_INPUT'), failed('NOT_FOUND'), failed('NOT_FOUND'), stored])
    expect((await server.engine.list({ type: 'mail', status: ['pending'] })).total).toBe(3)
  })

  it.each(['export', 'backup', 'batch', 'events', 'types.list', 'counts', 'close', 'toString', '__proto__', ''])(
    'a name that is no verb is refused alone: %j',
    async (verb) => {
      const server = await openServer()
      expect(await send(server, [{ verb, input: {} }, job(1)])).toEqual([failed('NOT_FOUND', {}), stored])
    },
  )

  it('each operation requires the scope of its verb', async () => {
    const server = await openServer({ AUTH_TOKEN: 'the-root-token' })
    const ops = [job(1), { verb: 'claim', input: { worker: 'w' } }, { verb: 'types' }, { verb: 'pause' }]
    const scopes: readonly Scope[] = ['produce', 'work', 'read', 'admin']
    for (const [place, scope] of scopes.entries()) {
      const { token } = await server.engine.createToken({ name: scope, scopes: [scope] })
      server.engine.keyring.changed()
      const outcomes = await send(server, ops, token)
      const expected = scopes.map((needed, at) =>
        at === place ? { ok: true } : failed('FORBIDDEN', { scope: needed }),
      )
      expect(outcomes).toMatchObject(expected)
    }
    expect(await server.engine.auditTrail()).toContainEqual(expect.objectContaining({ actor: 'token:admin' }))
  })

  it('each operation is held to the type prefix of the token', async () => {
    const { server, waiting, held } = await openWorld()
    const scopes: Scope[] = ['produce', 'work', 'read', 'admin']
    const { token } = await server.engine.createToken({ name: 'mail', scopes, typePrefix: 'mail' })
    server.engine.keyring.changed()
    const before = await picture(server)
    const refusals = await send(
      server,
      [
        job(1, 'print'),
        { verb: 'claim', input: { worker: 'w' } },
        { verb: 'get', input: { id: held.id } },
        { verb: 'complete', input: { id: held.id, version: held.version } },
        { verb: 'workers' },
        { verb: 'createToken', input: { name: 'wide', scopes: ['admin'] } },
      ],
      token,
    )
    expect(refusals).toEqual(refusals.map(() => failed('FORBIDDEN', { typePrefix: 'mail' })))
    expect(await picture(server)).toEqual(before)
    const ops = [
      job(1, 'mail.a'),
      { verb: 'get', input: { id: waiting } },
      { verb: 'claim', input: { worker: 'w', types: ['mail'] } },
    ]
    expect(await send(server, ops, token)).toEqual([
      stored,
      { ok: true, value: expect.objectContaining({ id: waiting }) },
      { ok: true, value: [expect.objectContaining({ id: waiting })] },
    ])
  })

  it('commands are refused to callers without a token', async () => {
    const server = await openServer({ COMMANDS_WITHOUT_TOKEN: 'refuse' })
    const command = { verb: 'enqueue', input: { type: 'shell', payload: { command: 'true' }, kind: 'command' } }
    expect(await send(server, [command, job(1)])).toEqual([failed('FORBIDDEN', {}), stored])
  })

  it('a claim in a batch does not wait', async () => {
    const server = await openServer()
    const startedAt = performance.now()
    const waiting = { worker: 'w', types: ['mail'], waitMs: 30_000 }
    const outcomes = await send(server, [
      { verb: 'claim', input: waiting },
      { verb: 'exchange', input: { worker: 'w', settle: [], claim: { types: ['mail'], waitMs: 30_000 } } },
    ])
    expect(outcomes).toEqual([
      { ok: true, value: [] },
      { ok: true, value: { settled: [], jobs: [] } },
    ])
    expect(performance.now() - startedAt).toBeLessThan(10_000)
  })

  it('a list that is too long or malformed is refused as a whole', async () => {
    const server = await openServer()
    const tooMany = Array.from({ length: limits.batchOps + 1 }, () => job(1))
    expect((await refused(server, 'batch', { ops: tooMany })).code).toBe('BAD_INPUT')
    expect((await refused(server, 'batch', { ops: [{ input: {} }] })).message).toContain('ops.0.verb')
    expect((await refused(server, 'batch', { ops: [{ ...job(1), more: 1 }] })).code).toBe('BAD_INPUT')
    expect((await server.engine.counts()).pending).toBe(0)
    expect(await send(server, tooMany.slice(1))).toHaveLength(limits.batchOps)
  })

  it('each operation is refused once the queue is closed', async () => {
    const server = await openServer()
    await server.engine.close()
    expect(await send(server, [job(1), { verb: 'facts' }])).toEqual([failed('CLOSED', {}), failed('CLOSED', {})])
  })

  it('rows of all operations are in the request log', async () => {
    const { server, waiting } = await openWorld()
    await send(server, [job(1), { verb: 'get', input: { id: waiting } }, { verb: 'types' }])
    const types = (await server.engine.types()).length
    await until(() => server.logged.some(({ path }) => path === '/trpc/batch'))
    expect(server.logged.find(({ path }) => path === '/trpc/batch')).toMatchObject({ rows: 1 + 1 + types, status: 200 })
  })

  it('jobs of a batch whose client disconnects are released', async () => {
    const server = await openServer()
    const { id } = await server.engine.enqueue({ type: 'mail', payload: 1 })
    const release = await server.place.hold()
    const claim = vi.spyOn(server.engine.parsed, 'claim')
    const body = JSON.stringify({ ops: [{ verb: 'claim', input: { worker: 'w' } }] })
    const headers = { 'content-type': 'application/json', 'content-length': body.length }
    const client = httpRequest(`${server.url}/trpc/batch`, { method: 'POST', headers }).on('error', () => {})
    client.end(body)
    // Maintenance may wait for the database as well, before the request has arrived.
    await until(() => claim.mock.calls.length > 0)
    await until(() => isBlocked(server))
    client.destroy()
    await until(() => server.logged.some(({ aborted }) => aborted === true))
    await release()
    await until(async () => {
      const { version, status } = await server.engine.get({ id })
      return version === 1 && status === 'pending'
    })
    expect(await server.engine.get({ id })).toMatchObject({ attempts: 0, error: null })
  })
})

/** True while a write waits for the database. */
async function isBlocked({ engine, place }: TestServer): Promise<boolean> {
  if (engine.load.queuedWrites > 0) return true
  if (place.dialect === 'sqlite') return false
  // Of this database: other tests use the same server.
  const waiting = `SELECT count(*) AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
  return Number((await place.sql(waiting))[0]?.n) > 0
}

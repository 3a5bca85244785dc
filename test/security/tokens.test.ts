/** Tokens over real connections: creation, expiry, revocation and audit, on every node. */
import { expect, it, onTestFinished } from 'vitest'
import { readConfig } from '../../server/base/config/config.ts'
import { readServerConfig } from '../../server/base/config/server-config.ts'
import { openLog } from '../../server/base/log.ts'
import { serve } from '../../server/ops/serve.ts'
import { SCOPES } from '../../shared/scopes.ts'
import { refused } from '../support/engine.ts'
import { postgres, sqlite } from '../support/places.ts'
import { call, describeServer, startOn, type TestServer } from '../support/server.ts'
import { TestClock } from '../support/test-clock.ts'

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const statusOf = async (server: TestServer, token: string | null, procedure = 'facts') =>
  (await call(server, procedure, 'query', undefined, token === null ? {} : bearer(token))).status

describeServer('tokens', (startServer) => {
  it('are required from the first one on, and no longer after the last is revoked', async () => {
    const server = await startServer({ COMMANDS_WITHOUT_TOKEN: 'allow' })
    expect(await statusOf(server, null)).toBe(200)
    const made = await call(server, 'tokens.create', 'mutation', { name: 'ops', scopes: ['read', 'admin'] })
    const { id, token } = (made.body as { result: { data: { id: string; token: string } } }).result.data
    expect([await statusOf(server, null), await statusOf(server, token)]).toEqual([401, 200])
    const trail = await call(server, 'audit.list', 'query', {}, bearer(token))
    expect(trail.body).toMatchObject({ result: { data: [{ actor: 'local', action: 'tokens.create', target: id }] } })
    const revoked = await call(server, 'tokens.revoke', 'mutation', { id }, bearer(token))
    expect(revoked.body).toEqual({ result: { data: { changed: true } } })
    expect(await statusOf(server, null)).toBe(200)
    expect((await server.engine.auditTrail()).map(({ actor, action }) => `${actor} ${action}`)).toEqual([
      'token:ops tokens.revoke',
      'local tokens.create',
    ])
    expect(JSON.stringify(await server.engine.auditTrail())).not.toContain(token)
    expect(server.logText()).not.toContain(token)
  })

  it('are rejected with the reason; AUTH_TOKEN has all scopes', async () => {
    const server = await startServer({ AUTH_TOKEN: 'root' })
    const { token } = await server.engine.createToken({ name: 'old', scopes: [...SCOPES], expiresInMs: 1_000 })
    await server.place.sql('UPDATE millrace_tokens SET expires_at = 1')
    server.engine.keyring.changed()
    const errorText = async (given: string) =>
      JSON.stringify((await call(server, 'facts', 'query', undefined, bearer(given))).body)
    expect(await errorText(token)).toContain('The token old has expired; create a new one.')
    expect(await errorText('mr_nothing')).toContain('This token is not valid here; it may have been revoked.')
    expect([await statusOf(server, 'root', 'tokens.list'), await statusOf(server, 'root')]).toEqual([200, 200])
  })

  it('are recorded in the audit trail with every action of an operator', async () => {
    const server = await startServer()
    const { engine } = server
    const { token } = await engine.createToken({ name: 'ops', scopes: ['admin'] })
    const { id } = await engine.enqueue({ type: 'mail', payload: 1, delayMs: 60_000 })
    await engine.claim({ worker: 'w', types: ['nothing'] })
    const bulk = await engine.startBulk({ action: 'remove', filter: { type: 'fax' }, undoMs: 60_000 })
    const undone = await engine.startBulk({ action: 'remove', filter: { type: 'fax' }, undoMs: 60_000 })
    const spare = await engine.createToken({ name: 'spare', scopes: ['read'] })
    const seen = (await engine.auditTrail()).length
    const actions: readonly (readonly [string, unknown])[] = [
      ['runNow', { id }],
      ['cancel', { id }],
      ['retry', { id }],
      ['remove', { id }],
      ['cleanup', {}],
      ['types.declare', { types: [{ name: 'mail', settings: { maxAttempts: 7 } }] }],
      ['types.update', { name: 'mail', set: { rate: 5 } }],
      ['types.pause', { name: 'mail' }],
      ['types.resume', { name: 'mail' }],
      ['workers.drain', { worker: 'w' }],
      ['settings.update', { set: { maxAttempts: 5 } }],
      ['settings.pause', undefined],
      ['settings.resume', undefined],
      ['bulk.start', { action: 'cancel', filter: { type: 'fax' } }],
      ['bulk.cancel', { id: bulk.id }],
      ['bulk.undo', { id: undone.id }],
      ['tokens.create', { scopes: ['read'] }],
      ['tokens.revoke', { id: spare.id }],
    ]
    for (const [procedure, input] of actions) {
      expect([procedure, (await call(server, procedure, 'mutation', input, bearer(token))).status]).toEqual([
        procedure,
        200,
      ])
    }
    const trail = (await engine.auditTrail()).slice(0, -seen)
    expect(trail.map(({ actor }) => actor)).toEqual(actions.map(() => 'token:ops'))
    expect(trail.every(({ at }) => at > 0)).toBe(true)
    const repeated = await call(server, 'types.declare', 'mutation', actions[5]?.[1], bearer(token))
    expect([repeated.status, (await engine.auditTrail()).length]).toEqual([200, seen + actions.length])
  })

  it('allow a server to listen on a public address', async () => {
    const server = await startServer()
    const { engine, place } = server
    const { id } = await engine.createToken({ scopes: ['read'] })
    await server.close()
    const reachable = await startServer({ HOST: '0.0.0.0' }, { place })
    expect(await statusOf(reachable, null)).toBe(401)
    await reachable.engine.revokeToken({ id })
    await reachable.close()
    await expect(startServer({ HOST: '0.0.0.0' }, { place })).rejects.toThrow(
      /would give anyone full access.*queuectl token create/,
    )
    await expect.poll(() => place.isFree(), { timeout: 30_000 }).toBe(true)
  })
})

it('an event stream is closed when its token is revoked', async () => {
  const place = await sqlite.create()
  const env = { ...place.settings('normal'), PORT: '0' }
  const clock = new TestClock()
  const log = openLog('silent', { write: () => {} })
  const onFatal = () => {}
  const settings = { config: readConfig(env), server: readServerConfig(env) }
  const server = await serve({ ...settings, log, pageFolder: null, clock, onFatal })
  onTestFinished(() => server.close())
  const { id, token } = await server.engine.createToken({ scopes: ['read'] })
  await server.engine.createToken({ scopes: ['admin'] })
  const url = `http://127.0.0.1:${server.address.port}/trpc/events`
  const open = async () => {
    const { status, body } = await fetch(url, { headers: bearer(token) })
    const ended = (async () => {
      for await (const _ of body ?? []);
    })()
    return { status, ended: ended.then(String, String) }
  }
  const stream = await open()
  await clock.advance(5_000)
  expect([stream.status, server.frames.subscriberCount]).toEqual([200, 1])
  await server.engine.revokeToken({ id })
  await clock.advance(5_000)
  expect(await stream.ended).toContain('terminated')
  expect((await open()).status).toBe(401)
})

it('a token that one node revokes is rejected by other nodes on PostgreSQL within a second', async () => {
  const start = startOn(postgres)
  const one = await start()
  const other = await start({}, { place: one.place })
  const { id, token } = await one.engine.createToken({ scopes: ['read', 'admin'] })
  await expect.poll(() => statusOf(other, null)).toBe(401)
  expect(await statusOf(other, token)).toBe(200)
  await one.engine.createToken({ scopes: ['read'] })
  await one.engine.revokeToken({ id })
  expect(await statusOf(one, token)).toBe(401)
  await expect.poll(() => statusOf(other, token), { timeout: 5_000 }).toBe(401)
  expect((await refused(other.engine.revokeToken({ id: '018f6f0e-0000-7000-8000-00000000dead' }))).code).toBe(
    'NOT_FOUND',
  )
})

/** Jobs of kind `command` run as the worker's user, so enqueueing them requires a token. */
import { expect, it } from 'vitest'
import { SCOPES } from '../../shared/scopes.ts'
import { queuectl } from '../cli/terminal.ts'
import { mountOn } from '../http/support/mounted.ts'
import { send } from '../rest/send.ts'
import { DATABASES } from '../support/places.ts'
import { call, describeServer } from '../support/server.ts'

const COMMAND = { type: 'shell', kind: 'command', payload: { command: 'id' } }
const TOKEN = 'a-secret-of-some-length'
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

/** The check runs before the database is used. */
const ONE_DATABASE = DATABASES.slice(0, 1)

describeServer(
  'a command',
  (startServer) => {
    it('is rejected without a token, alone and in a batch, and nothing is stored', async () => {
      const server = await startServer({ ALLOW_IPS: '10.0.0.0/8' })
      for (const [procedure, input] of [
        ['enqueue', COMMAND],
        ['enqueueMany', { jobs: [{ type: 'mail', payload: 1 }, COMMAND] }],
      ] as const) {
        const { status, body } = await call(server, procedure, 'mutation', input)
        const message = expect.stringMatching(/without a token: set AUTH_TOKEN .* COMMANDS_WITHOUT_TOKEN=allow\.$/)
        expect([status, body]).toMatchObject([403, { error: { message, data: { queueCode: 'FORBIDDEN' } } }])
      }
      expect((await server.engine.counts()).pending).toBe(0)
      expect((await call(server, 'enqueue', 'mutation', { type: 'mail', payload: 1 })).status).toBe(200)
    })

    it('cannot be enqueued with a token that the same caller creates', async () => {
      const server = await startServer()
      const { status, body } = await call(server, 'tokens.create', 'mutation', { name: 'mine', scopes: [...SCOPES] })
      const message = expect.stringContaining('queuectl token create')
      expect([status, body]).toMatchObject([403, { error: { message } }])
      expect(await server.engine.tokens()).toEqual([])
    })

    it('is accepted with AUTH_TOKEN, a produce token or a session, and with no other scope', async () => {
      const server = await startServer({ AUTH_TOKEN: TOKEN })
      const make = async (scope: 'produce' | 'read') =>
        bearer((await server.engine.createToken({ name: scope, scopes: [scope] })).token)
      const session = await send(server, 'POST /session', { token: TOKEN })
      const cookie = session.headers.get('set-cookie')?.split(';')[0] ?? ''
      const statuses = []
      for (const headers of [bearer(TOKEN), await make('produce'), { cookie }, await make('read'), {}]) {
        statuses.push((await call(server, 'enqueue', 'mutation', COMMAND, headers)).status)
      }
      expect(statuses).toEqual([200, 200, 200, 403, 401])
    })

    it('is accepted without a token if COMMANDS_WITHOUT_TOKEN=allow', async () => {
      const server = await startServer({ COMMANDS_WITHOUT_TOKEN: 'allow' })
      expect((await call(server, 'enqueue', 'mutation', COMMAND)).status).toBe(200)
    })

    it('is rejected from queuectl at a server without a token, and accepted on its database', async () => {
      const server = await startServer()
      const enqueue = (env: Readonly<Record<string, string>>) => queuectl(['enqueue', '--command', 'id'], { env })
      const refused = await enqueue({ MILLRACE_URL: server.url })
      expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('COMMANDS_WITHOUT_TOKEN=allow')])
      expect((await enqueue({ ...server.place.settings() })).code).toBe(0)
      expect((await server.engine.counts()).pending).toBe(1)
    })

    it('is accepted by a mounted dashboard only with commandsWithoutToken or authorize', async () => {
      const { engine } = await startServer()
      const statuses = []
      for (const options of [{}, { commandsWithoutToken: true }, { authorize: () => true }]) {
        const mounted = await mountOn(engine, options)
        statuses.push((await call(mounted, 'enqueue', 'mutation', COMMAND)).status)
      }
      expect(statuses).toEqual([403, 200, 200])
    })
  },
  ONE_DATABASE,
)

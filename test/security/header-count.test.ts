/** Many headers cannot hide those that a proxy appends, so ALLOW_IPS still applies. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect as connectSecurely } from 'node:tls'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openEngine } from '../../server/compose/open-engine.ts'
import { forwardingProxy } from '../http/support/forwarding-proxy.ts'
import { connectTo, MANY_HEADERS, postRaw } from '../http/support/many-headers.ts'
import { listen, mountOn } from '../http/support/mounted.ts'
import { DATABASES } from '../support/places.ts'
import { describeServer } from '../support/server.ts'
import { tempFolder } from '../support/temp.ts'
import { CERTIFICATE, KEY } from './certificate.ts'

const STRANGER = '203.0.113.9'
const FORWARDED = [`X-Forwarded-For: ${STRANGER}`]
const ALLOW = { TRUSTED_PROXIES: '127.0.0.1', ALLOW_IPS: '10.0.0.0/8' }
/** Header parsing does not depend on the database. */
const ONE_DATABASE = DATABASES.slice(0, 1)

describeServer(
  `${MANY_HEADERS} headers`,
  (startServer) => {
    it('do not pass ALLOW_IPS behind a trusted proxy', async () => {
      const server = await startServer(ALLOW)
      for (const [client, status] of [
        [STRANGER, 403],
        ['10.1.2.3', 200],
      ] as const) {
        const url = await forwardingProxy(server.url, client)
        expect([client, (await postRaw(connectTo(url), { path: '/trpc/enqueue' })).status]).toEqual([client, status])
      }
      const rest = { path: '/api/queue', body: '{"type":"mail","data":1}', last: FORWARDED }
      expect((await postRaw(connectTo(server.url), rest)).status).toBe(403)
      expect((await server.engine.counts()).pending).toBe(1)
    })

    it('do not make a forwarded request look like a local one', async () => {
      const server = await startServer()
      const local = await postRaw(connectTo(server.url), { path: '/trpc/enqueue' })
      const forwarded = await postRaw(connectTo(server.url), { path: '/trpc/enqueue', last: FORWARDED })
      expect([local.status, forwarded.status]).toEqual([200, 403])
    })

    it('do not pass ALLOW_IPS over HTTPS', async () => {
      const folder = await tempFolder()
      const [TLS_CERT, TLS_KEY] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
      writeFileSync(TLS_CERT, CERTIFICATE)
      writeFileSync(TLS_KEY, KEY)
      const server = await startServer({ ...ALLOW, TLS_CERT, TLS_KEY })
      const connect = () => connectSecurely({ port: server.address.port, host: '127.0.0.1', ca: CERTIFICATE })
      const local = await postRaw(connect(), { path: '/trpc/enqueue' })
      const forwarded = await postRaw(connect(), { path: '/trpc/enqueue', last: FORWARDED })
      expect([local.status, forwarded.status]).toEqual([200, 403])
    })
  },
  ONE_DATABASE,
)

describe('a dashboard in a host application whose server drops headers', () => {
  const path = '/trpc/enqueue'

  async function mounted(options: Parameters<typeof mountOn>[1] = {}) {
    const engine = await openEngine({ url: 'sqlite::memory:' })
    onTestFinished(() => engine.close())
    return mountOn(engine, options)
  }

  it.each([
    ['without authorize', {}],
    ['with authorize', { authorize: () => true }],
  ])('rejects requests with more headers than the server keeps, %s', async (_, options) => {
    const { url, engine } = await mounted({ at: '/', trustedProxies: ['127.0.0.1'], ...options })
    for (const many of [1_000, MANY_HEADERS]) {
      const { status, text } = await postRaw(connectTo(url), { path, many, last: FORWARDED })
      expect([status, text]).toEqual([403, expect.stringContaining('send fewer headers')])
    }
    expect((await postRaw(connectTo(url), { path, many: 900 })).status).toBe(200)
    expect((await engine.counts()).pending).toBe(1)
  })

  it('uses the header limit of that server', async () => {
    const { dashboard } = await mounted()
    const url = await listen(dashboard, { maxHeadersCount: 50 })
    const send = (many: number) => postRaw(connectTo(url), { path, many, last: FORWARDED })
    const [few, many] = [await postRaw(connectTo(url), { path, many: 40 }), await send(60)]
    expect([few.status, many.status]).toEqual([200, 403])
    expect(many.text).toContain('send fewer headers')
    const unlimited = await listen(dashboard, { maxHeadersCount: 0 })
    expect((await postRaw(connectTo(unlimited), { path })).status).toBe(200)
  })
})

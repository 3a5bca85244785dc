/** createDashboard in a host application: paths, body parsers, authorize, tokens and shutdown. */
import { request as httpRequest, type IncomingMessage } from 'node:http'
import express, { type Express } from 'express'
import { expect, it, onTestFinished } from 'vitest'
import type { DashboardUser } from '../../server/http/auth/application-users.ts'
import { createDashboard, openDashboard } from '../../server/sdk/create-dashboard.ts'
import { openQueue } from '../../server/sdk/open-queue.ts'
import { outcome, send } from '../rest/send.ts'
import { held, until } from '../support/engine.ts'
import { call, describeServer } from '../support/server.ts'
import { TestClock } from '../support/test-clock.ts'
import { startReceiver } from '../webhooks/receiver.ts'
import { describeMounted, listen, mountOn, stubPage } from './support/mounted.ts'

const PARSERS: Readonly<Record<string, (app: Express) => void>> = {
  'no body parser': () => {},
  'express.json()': (app) => app.use(express.json()),
  'express.text()': (app) => app.use(express.text({ type: '*/*' })),
  'express.raw()': (app) => app.use(express.raw({ type: '*/*' })),
}

const users: Readonly<Record<string, boolean | DashboardUser>> = {
  ann: { actor: 'ann' },
  bob: { actor: 'bob', scopes: ['read'] },
  cron: true,
  eve: false,
}
const byKey = ({ headers }: IncomingMessage) => users[String(headers['x-key'])]

describeMounted('a mounted dashboard', (mount) => {
  it.each(Object.keys(PARSERS))('a mounted dashboard serves its API and its page after %s', async (name) => {
    const { url, engine } = await mount({ ...(PARSERS[name] && { prepare: PARSERS[name] }) })
    const { id } = await (await openQueue(url)).enqueue({ type: 'mail', payload: { to: 'ada' } })
    expect(await engine.get({ id })).toMatchObject({ type: 'mail', payload: { to: 'ada' } })
    expect(await call({ url }, 'settings.pause', 'mutation')).toMatchObject({ status: 200 })
    const page = await fetch(`${url}/jobs/${id}`)
    const text = await page.text()
    const policy = page.headers.get('content-security-policy') ?? ''
    const nonce = /nonce="(.+?)"/.exec(text)?.[1]
    expect([page.status, text.includes('<base href="/ops/queue/" />')]).toEqual([200, true])
    expect(policy).toContain(`script-src 'self' 'nonce-${nonce}'`)
    expect((await fetch(`${url}/assets/a.js`)).headers.get('cache-control')).toContain('immutable')
    expect((await fetch(`${url}/dashboard`, { redirect: 'manual' })).headers.get('location')).toBe('/ops/queue/')
    const elsewhere = await send({ url }, 'GET /elsewhere')
    expect([elsewhere.status, JSON.stringify(elsewhere.body)]).toEqual([404, expect.stringContaining('/ops/queue/el')])
    expect(await (await fetch(new URL('/shop', url))).text()).toBe('open')
  })

  it('a mounted dashboard takes access, scopes and actor name from authorize', async () => {
    const { url, engine } = await mount({ authorize: byKey })
    await engine.createToken({ name: 'ignored here', scopes: ['admin'] })
    await engine.keyring.refresh()
    for (const path of ['/', '/assets/a.js', '/trpc/stats', '/trpc/events', '/session', '/jobs']) {
      const refused = await send({ url }, `GET ${path}`, undefined, { 'x-key': 'eve' })
      expect([path, refused.status, JSON.stringify(refused.body)]).toEqual([
        path,
        403,
        expect.stringContaining('sign in'),
      ])
    }
    const shown = await fetch(`${url}/jobs`, { headers: { 'x-key': 'eve', accept: 'text/html,*/*' } })
    const policy = shown.headers.get('content-security-policy')
    expect([shown.status, policy]).toEqual([403, expect.stringMatching(/^default-src 'none'; style-src 'nonce-/)])
    expect(await shown.text()).toContain('<p>This application does not let you see its queue; sign in to it')
    const as = (key: string) => ({ 'x-key': key })
    expect((await call({ url }, 'stats', 'query', undefined, as('bob'))).status).toBe(200)
    expect((await call({ url }, 'settings.pause', 'mutation', undefined, as('bob'))).status).toBe(403)
    expect((await call({ url }, 'settings.pause', 'mutation', undefined, as('ann'))).status).toBe(200)
    expect((await call({ url }, 'settings.resume', 'mutation', undefined, as('cron'))).status).toBe(200)
    expect((await send({ url }, 'GET /session', undefined, as('bob'))).body).toMatchObject({
      ...{ actor: 'bob', scopes: ['read'], asksForToken: false, isSession: false, by: 'application' },
    })
    const actions = (await engine.auditTrail()).map(({ actor, action }) => `${actor} ${action}`)
    expect(actions.slice(0, 2)).toEqual(['application settings.update', 'ann settings.update'])
  })

  it('a mounted dashboard calls authorize once per request and hides its errors from the response', async () => {
    let calls = 0
    let result: () => { actor: string } = () => ({ actor: 'ann' })
    const { url, errors } = await mount({
      authorize: async () => {
        calls += 1
        return result()
      },
    })
    expect((await call({ url }, 'stats', 'query')).status).toBe(200)
    expect(calls).toBe(1)
    result = () => {
      throw new Error('the user directory is unavailable')
    }
    const failed = await call({ url }, 'stats', 'query')
    expect([failed.status, JSON.stringify(failed.body)]).toEqual([500, expect.not.stringContaining('directory')])
    result = () => ({ actor: '' })
    expect((await call({ url }, 'stats', 'query')).status).toBe(500)
    expect(errors.map(String)).toEqual([
      'Error: the user directory is unavailable',
      'Error: authorize must name an actor in 1 to 200 characters, not "".',
    ])
  })

  it('a mounted dashboard without authorize serves loopback only, or requires a token once one exists', async () => {
    const { url, engine } = await mount()
    expect((await fetch(url)).status).toBe(200)
    const forwarded = { 'x-forwarded-for': '192.0.2.7' }
    const advice = expect.stringContaining('give createDashboard an authorize function')
    expect(await outcome({ url }, 'GET /trpc/stats', undefined, forwarded)).toMatchObject([
      403,
      { error: { message: advice } },
    ])
    const { token } = await engine.createToken({ name: 'ops', scopes: ['read'] })
    expect((await send({ url }, 'GET /trpc/stats')).status).toBe(401)
    expect((await send({ url }, 'GET /trpc/stats', undefined, { authorization: `Bearer ${token}` })).status).toBe(200)
    const signedIn = await send({ url }, 'POST /session', { token })
    const cookie = signedIn.headers.get('set-cookie') ?? ''
    expect([signedIn.status, cookie]).toEqual([200, expect.stringContaining('Path=/ops/queue;')])
    const again = await send({ url }, 'GET /trpc/stats', undefined, { cookie: cookie.split(';', 1)[0] ?? '' })
    expect(again.status).toBe(200)
  })

  it('a mounted dashboard rejects pages of other origins and accepts those of allowedHosts', async () => {
    const { url } = await mount({ allowedHosts: ['Ops.Example'], authorize: () => true })
    const from = (origin: string) => call({ url }, 'settings.pause', 'mutation', undefined, { origin })
    expect([(await from('https://evil.example')).status, (await from('https://ops.example')).status]).toEqual([
      403, 200,
    ])
    const form = await send({ url }, 'POST /trpc/settings.resume', '{}', { 'content-type': 'text/plain' })
    expect(form.status).toBe(415)
  })

  it('a mounted dashboard writes neither a foreign host nor markup from the path into its page', async () => {
    const { url } = await mount({ at: '/*team/queue' })
    const pageAt = (path: string) =>
      new Promise<string>((resolve, reject) => {
        const { hostname, port } = new URL(url)
        const request = httpRequest({ hostname, port, path }, async (response) => {
          const parts: Buffer[] = []
          for await (const part of response) parts.push(part)
          resolve(Buffer.concat(parts).toString())
        })
        request.on('error', reject).end()
      })
    expect(await pageAt('/blue/queue/')).toContain('<base href="/blue/queue/" />')
    expect(await pageAt('/"><img/queue/')).toContain('<base href="/&#34;&#62;&#60;img/queue/" />')
    expect(await pageAt('//evil.example/queue/')).toContain('<base href="/evil.example/queue/" />')
  })

  it('a mounted dashboard uses basePath as the path that browsers see', async () => {
    const { url } = await mount({ basePath: '/tools/queue/' })
    expect(await (await fetch(url)).text()).toContain('<base href="/tools/queue/" />')
    for (const basePath of ['queue', '//elsewhere', '/a b', '/..']) {
      await expect(mount({ basePath })).rejects.toThrow('it must look like /queue')
    }
  })

  it.each(['the application', 'a router of the application'])(
    'a mounted dashboard passes requests to authorize as %s sees them',
    async (where) => {
      const seen: unknown[] = []
      const { engine } = await mount({ webhooks: false })
      const dashboard = openDashboard<express.Request>(engine, await stubPage(), {
        authorize: ({ ip, protocol, hostname, query, app }) => {
          seen.push([ip, protocol, hostname, query.key, app.get('mine')])
          return true
        },
        webhooks: false,
      })
      onTestFinished(() => dashboard.close())
      const app = express().set('trust proxy', 'loopback').set('mine', 'yes').set('query parser', 'extended')
      const router = where === 'the application' ? app : express.Router()
      router.use('/queue', dashboard)
      if (router !== app) app.use('/ops', router)
      const url = `${await listen(app)}${router === app ? '' : '/ops'}/queue`
      const headers = { 'x-forwarded-for': '8.8.8.8', 'x-forwarded-proto': 'https', 'x-forwarded-host': 'shop.example' }
      expect((await fetch(`${url}/session?key[a]=1`, { headers })).status).toBe(200)
      expect(seen).toEqual([['8.8.8.8', 'https', 'shop.example', { a: '1' }, 'yes']])
    },
  )

  it('a mounted dashboard responds with 404 to longer paths that end with a procedure name', async () => {
    const { url, engine } = await mount({ authorize: () => true, webhooks: false })
    for (const path of ['/trpc/x/events', '/trpc//events', '/trpc/x%2Fevents', '/trpc/x/stats']) {
      expect([path, (await send({ url }, `GET ${path}`)).status]).toEqual([path, 404])
    }
    expect(engine.events.listenerCount).toBe(0)
  })

  it('a mounted dashboard closes an event stream when authorize rejects its user, and all streams on close', async () => {
    const clock = new TestClock()
    let isAllowed = true
    const { url, dashboard, engine } = await mount({ clock, authorize: () => isAllowed, webhooks: false })
    const open = async (name = 'events') => {
      const response = await fetch(`${url}/trpc/${name}`)
      const reader = response.body?.getReader()
      await reader?.read()
      return { status: response.status, ended: reader?.read().then(drain, () => 'cut') }
      async function drain(): Promise<string> {
        for (;;) {
          const { done } = (await reader?.read().catch(() => null)) ?? { done: true }
          if (done) return 'cut'
        }
      }
    }
    const first = await Promise.all([open(), open('%65vents')])
    expect([...first.map(({ status }) => status), engine.events.listenerCount]).toEqual([200, 200, 1])
    isAllowed = false
    await clock.advance(5_000)
    for (const { ended } of first) expect(await ended).toBe('cut')
    isAllowed = true
    const second = await open()
    await dashboard.close()
    expect(await second.ended).toBe('cut')
    expect((await send({ url }, 'GET /trpc/events')).status).toBe(503)
    await until(() => engine.events.listenerCount === 0)
  })

  it('a mounted dashboard closes an export when authorize rejects its user, and all exports on close', async () => {
    const clock = new TestClock()
    let isAllowed = true
    const { url, dashboard, engine } = await mount({ clock, authorize: () => isAllowed, webhooks: false })
    // More than the socket buffers hold.
    const payload = 'x'.repeat(900_000)
    for (let n = 0; n < 30; n++) await engine.enqueue({ type: 'mail', payload })
    expect(await (await slowExport(url)).readRest()).toBe('whole')
    const first = await slowExport(url)
    isAllowed = false
    await clock.advance(5_000)
    expect(await first.readRest()).toBe('cut')
    isAllowed = true
    const second = await slowExport(url)
    await dashboard.close()
    expect(await second.readRest()).toBe('cut')
  })

  it('a mounted dashboard reports an export that fails midway and closes its connection', async () => {
    const { url, engine, errors } = await mount({ webhooks: false })
    await engine.enqueue({ type: 'mail', payload: 'x'.repeat(200_000) })
    const { export: all } = engine.parsed
    engine.parsed.export = async function* (filter) {
      yield* all(filter)
      throw new Error('the disk is gone')
    }
    const response = await fetch(`${url}/export`)
    await expect(response.text()).rejects.toThrow()
    expect(errors).toEqual([new Error('the disk is gone')])
  })

  it('a mounted dashboard delivers webhooks, as a server does', async () => {
    const { engine } = await mount()
    const receiver = await startReceiver()
    await engine.updateSettings({ set: { webhookUrl: `${receiver.url}/hook` } })
    const job = await held(engine, { type: 'mail' })
    await engine.fail({ id: job.id, version: job.version, error: 'no route', retry: false })
    await until(() => receiver.deliveries.length === 1)
    expect(receiver.deliveries[0]?.path).toBe('/hook')
  })
})

describeServer('createDashboard', (startServer) => {
  it('createDashboard rejects a remote queue and unknown options', async () => {
    const { url } = await startServer()
    const remote = await openQueue(url)
    onTestFinished(() => remote.close())
    expect(() => openDashboard(remote, '', {})).toThrow(`open the dashboard of ${url} there`)
    expect(() => createDashboard(remote)).toThrow()
    const misspelt = { trustedProxis: ['10.0.0.1'], prefix: '/queue' }
    expect(() => createDashboard(remote, misspelt)).toThrow('no option trustedProxis; did you mean trustedProxies?')
  })

  it('createDashboard removes its prefix when no framework does', async () => {
    const { engine } = await startServer()
    const dashboard = openDashboard(engine, await stubPage(), { prefix: '/queue' })
    onTestFinished(() => dashboard.close())
    const url = await listen(dashboard)
    const { id } = await (await openQueue(`${url}/queue`)).enqueue({ type: 'mail', payload: 1 })
    expect(await engine.get({ id })).toMatchObject({ type: 'mail' })
    for (const path of ['/queue', '/queue/', '/queue?a=1', '/queue/jobs']) {
      const response = await fetch(`${url}${path}`)
      expect([path, response.status]).toEqual([path, 200])
      expect(await response.text()).toContain('"/queue/"')
    }
    expect((await fetch(`${url}/queues/trpc/facts`)).status).not.toBe(200)
    expect(() => openDashboard(engine, '', { prefix: 'queue' })).toThrow('it must look like /queue')
  })

  it('createDashboard works at the root of a plain Node server', async () => {
    const { engine } = await startServer()
    const { dashboard } = await mountOn(engine)
    const url = await listen(dashboard)
    expect(await (await fetch(url)).text()).toContain('<base href="/" />')
    expect((await call({ url }, 'stats', 'query')).status).toBe(200)
  })
})

/** Starts to read and then pauses; `readRest` reads the rest and returns `whole` or `cut`. */
function slowExport(url: string): Promise<{ readRest(): Promise<string> }> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(`${url}/export`, (response) => {
      response.on('error', () => {})
      const readRest = () =>
        new Promise<string>((end) => {
          response.once('close', () => end(response.complete ? 'whole' : 'cut'))
          response.resume()
        })
      response.once('readable', () => resolve({ readRest }))
    })
    request.on('error', reject).end()
  })
}

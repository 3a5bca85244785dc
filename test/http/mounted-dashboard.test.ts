/** createDashboard in somebody else's application: any path, any body parser, its people or our tokens, and a clean end. */
import { request as httpRequest, type IncomingMessage } from 'node:http'
import express, { type Express } from 'express'
import { expect, it, onTestFinished } from 'vitest'
import type { Visitor } from '../../server/http/auth/visitors.ts'
import { createDashboard, openDashboard } from '../../server/http/dashboard/create-dashboard.ts'
import { openQueue } from '../../server/sdk/open-queue.ts'
import { ask, outcome } from '../rest/ask.ts'
import { held, until } from '../support/engine.ts'
import { sqlite } from '../support/places.ts'
import { call, startOn } from '../support/server.ts'
import { TestClock } from '../support/test-clock.ts'
import { startReceiver } from '../webhooks/receiver.ts'
import { describeMounted, listen, mountOn, stubPage } from './mounted.ts'

const PARSERS: Readonly<Record<string, (app: Express) => void>> = {
  'no body parser': () => {},
  'express.json()': (app) => app.use(express.json()),
  'express.text()': (app) => app.use(express.text({ type: '*/*' })),
  'express.raw()': (app) => app.use(express.raw({ type: '*/*' })),
}

const people: Readonly<Record<string, boolean | Visitor>> = {
  ann: { actor: 'ann' },
  bob: { actor: 'bob', scopes: ['read'] },
  cron: true,
  eve: false,
}
const byKey = ({ headers }: IncomingMessage) => people[String(headers['x-key'])]

describeMounted('a mounted dashboard', (mount) => {
  it.each(Object.keys(PARSERS))('serves its API and its page after %s', async (name) => {
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
    const elsewhere = await ask({ url }, 'GET /elsewhere')
    expect([elsewhere.status, JSON.stringify(elsewhere.body)]).toEqual([404, expect.stringContaining('/ops/queue/el')])
    expect(await (await fetch(new URL('/shop', url))).text()).toBe('open')
  })

  it('lets the application say who comes in, what they may do, and what they are called', async () => {
    const { url, engine } = await mount({ authorize: byKey })
    await engine.createToken({ name: 'not asked for here', scopes: ['admin'] })
    await engine.keyring.refresh()
    for (const path of ['/', '/assets/a.js', '/trpc/stats', '/trpc/events', '/session', '/jobs']) {
      const refused = await ask({ url }, `GET ${path}`, undefined, { 'x-key': 'eve' })
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
    expect((await ask({ url }, 'GET /session', undefined, as('bob'))).body).toMatchObject({
      ...{ actor: 'bob', scopes: ['read'], asksForToken: false, isSession: false, by: 'application' },
    })
    const acts = (await engine.auditTrail()).map(({ actor, action }) => `${actor} ${action}`)
    expect(acts.slice(0, 2)).toEqual(['application settings.update', 'ann settings.update'])
  })

  it('asks the application once for each request, and answers its faults without telling them', async () => {
    let asked = 0
    let answer: () => { actor: string } = () => ({ actor: 'ann' })
    const { url, faults } = await mount({
      authorize: async () => {
        asked += 1
        return answer()
      },
    })
    expect((await call({ url }, 'stats', 'query')).status).toBe(200)
    expect(asked).toBe(1)
    answer = () => {
      throw new Error('the directory of people is away')
    }
    const failed = await call({ url }, 'stats', 'query')
    expect([failed.status, JSON.stringify(failed.body)]).toEqual([500, expect.not.stringContaining('directory')])
    answer = () => ({ actor: '' })
    expect((await call({ url }, 'stats', 'query')).status).toBe(500)
    expect(faults.map(String)).toEqual([
      'Error: the directory of people is away',
      'Error: authorize must name an actor in 1 to 200 characters, not "".',
    ])
  })

  it('serves its own machine alone without that, and whoever has a token once there is one', async () => {
    const { url, engine } = await mount()
    expect((await fetch(url)).status).toBe(200)
    const forwarded = { 'x-forwarded-for': '192.0.2.7' }
    const advice = expect.stringContaining('give createDashboard an authorize function')
    expect(await outcome({ url }, 'GET /trpc/stats', undefined, forwarded)).toMatchObject([
      403,
      { error: { message: advice } },
    ])
    const { token } = await engine.createToken({ name: 'ops', scopes: ['read'] })
    expect((await ask({ url }, 'GET /trpc/stats')).status).toBe(401)
    expect((await ask({ url }, 'GET /trpc/stats', undefined, { authorization: `Bearer ${token}` })).status).toBe(200)
    const signedIn = await ask({ url }, 'POST /session', { token })
    const cookie = signedIn.headers.get('set-cookie') ?? ''
    expect([signedIn.status, cookie]).toEqual([200, expect.stringContaining('Path=/ops/queue;')])
    const again = await ask({ url }, 'GET /trpc/stats', undefined, { cookie: cookie.split(';', 1)[0] ?? '' })
    expect(again.status).toBe(200)
  })

  it('refuses pages of others, and knows the names it is given', async () => {
    const { url } = await mount({ allowedHosts: ['Ops.Example'], authorize: () => true })
    const from = (origin: string) => call({ url }, 'settings.pause', 'mutation', undefined, { origin })
    expect([(await from('https://evil.example')).status, (await from('https://ops.example')).status]).toEqual([
      403, 200,
    ])
    const form = await ask({ url }, 'POST /trpc/settings.resume', '{}', { 'content-type': 'text/plain' })
    expect(form.status).toBe(415)
  })

  it('writes no address of another server, and no markup, into its page', async () => {
    const { url } = await mount({ at: '/*team/queue' })
    const pageAt = (path: string) =>
      new Promise<string>((resolve, reject) => {
        const { hostname, port } = new URL(url)
        const asked = httpRequest({ hostname, port, path }, async (response) => {
          const parts: Buffer[] = []
          for await (const part of response) parts.push(part)
          resolve(Buffer.concat(parts).toString())
        })
        asked.on('error', reject).end()
      })
    expect(await pageAt('/blue/queue/')).toContain('<base href="/blue/queue/" />')
    expect(await pageAt('/"><img/queue/')).toContain('<base href="/&#34;&#62;&#60;img/queue/" />')
    expect(await pageAt('//evil.example/queue/')).toContain('<base href="/evil.example/queue/" />')
  })

  it('can be told where browsers see it', async () => {
    const { url } = await mount({ basePath: '/tools/queue/' })
    expect(await (await fetch(url)).text()).toContain('<base href="/tools/queue/" />')
    for (const basePath of ['queue', '//elsewhere', '/a b', '/..']) {
      await expect(mount({ basePath })).rejects.toThrow('it must look like /queue')
    }
  })

  it.each(['the application', 'a router of it'])('shows requests to authorize as %s sees them', async (where) => {
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
  })

  it('says nothing where tRPC would take the end of a longer address for a procedure', async () => {
    const { url, engine } = await mount({ authorize: () => true, webhooks: false })
    for (const path of ['/trpc/x/events', '/trpc//events', '/trpc/x%2Fevents', '/trpc/x/stats']) {
      expect([path, (await ask({ url }, `GET ${path}`)).status]).toEqual([path, 404])
    }
    expect(engine.events.listenerCount).toBe(0)
  })

  it('cuts streams when the application no longer knows who reads, and all of them when it ends', async () => {
    const clock = new TestClock()
    let isKnown = true
    const { url, dashboard, engine } = await mount({ clock, authorize: () => isKnown, webhooks: false })
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
    isKnown = false
    await clock.advance(5_000)
    for (const { ended } of first) expect(await ended).toBe('cut')
    isKnown = true
    const second = await open()
    await dashboard.close()
    expect(await second.ended).toBe('cut')
    expect((await ask({ url }, 'GET /trpc/events')).status).toBe(503)
    await until(() => engine.events.listenerCount === 0)
  })

  it('cuts exports that nobody may read any more, and all of them when it ends', async () => {
    const clock = new TestClock()
    let isKnown = true
    const { url, dashboard, engine } = await mount({ clock, authorize: () => isKnown, webhooks: false })
    // More than the buffers on the way hold.
    const payload = 'x'.repeat(900_000)
    for (let n = 0; n < 30; n++) await engine.enqueue({ type: 'mail', payload })
    expect(await (await slowExport(url)).goOn()).toBe('whole')
    const first = await slowExport(url)
    isKnown = false
    await clock.advance(5_000)
    expect(await first.goOn()).toBe('cut')
    isKnown = true
    const second = await slowExport(url)
    await dashboard.close()
    expect(await second.goOn()).toBe('cut')
  })

  it('tells of an export that broke off, which looks like one', async () => {
    const { url, engine, faults } = await mount({ webhooks: false })
    await engine.enqueue({ type: 'mail', payload: 'x'.repeat(200_000) })
    const { export: all } = engine
    engine.export = async function* (filter) {
      yield* all(filter)
      throw new Error('the disk is gone')
    }
    const answer = await fetch(`${url}/export`)
    await expect(answer.text()).rejects.toThrow()
    expect(faults).toEqual([new Error('the disk is gone')])
  })

  it('delivers webhooks, as a server does', async () => {
    const { engine } = await mount()
    const receiver = await startReceiver()
    await engine.updateSettings({ set: { webhookUrl: `${receiver.url}/hook` } })
    const job = await held(engine, { type: 'mail' })
    await engine.fail({ id: job.id, version: job.version, error: 'no route', retry: false })
    await until(() => receiver.deliveries.length === 1)
    expect(receiver.deliveries[0]?.path).toBe('/hook')
  })
})

it('is not for a queue behind a server, which has one', async () => {
  const { url } = await startOn(sqlite)()
  const remote = await openQueue(url)
  onTestFinished(() => remote.close())
  expect(() => openDashboard(remote, '', {})).toThrow(`The queue behind ${url} has its dashboard there`)
  expect(() => createDashboard(remote)).toThrow()
  const misspelt = { trustedProxis: ['10.0.0.1'], prefix: '/queue' }
  expect(() => createDashboard(remote, misspelt)).toThrow('no option trustedProxis; did you mean trustedProxies?')
})

it('leaves its prefix off where no framework does', async () => {
  const { engine } = await startOn(sqlite)()
  const dashboard = openDashboard(engine, await stubPage(), { prefix: '/queue' })
  onTestFinished(() => dashboard.close())
  const url = await listen(dashboard)
  const { id } = await (await openQueue(`${url}/queue`)).enqueue({ type: 'mail', payload: 1 })
  expect(await engine.get({ id })).toMatchObject({ type: 'mail' })
  for (const path of ['/queue', '/queue/', '/queue?a=1', '/queue/jobs']) {
    const answer = await fetch(`${url}${path}`)
    expect([path, answer.status]).toEqual([path, 200])
    expect(await answer.text()).toContain('"/queue/"')
  }
  expect((await fetch(`${url}/queues/trpc/facts`)).status).not.toBe(200)
  expect(() => openDashboard(engine, '', { prefix: 'queue' })).toThrow('it must look like /queue')
})

it('answers at the root of a plain Node server too', async () => {
  const { engine } = await startOn(sqlite)()
  const { dashboard } = await mountOn(engine)
  const url = await listen(dashboard)
  expect(await (await fetch(url)).text()).toContain('<base href="/" />')
  expect((await call({ url }, 'stats', 'query')).status).toBe(200)
})

/** Begins to read and then stops; `goOn` reads the rest, and says whether there was one. */
function slowExport(url: string): Promise<{ goOn(): Promise<string> }> {
  return new Promise((resolve, reject) => {
    const asked = httpRequest(`${url}/export`, (response) => {
      response.on('error', () => {})
      const goOn = () =>
        new Promise<string>((end) => {
          response.once('close', () => end(response.complete ? 'whole' : 'cut'))
          response.resume()
        })
      response.once('readable', () => resolve({ goOn }))
    })
    asked.on('error', reject).end()
  })
}

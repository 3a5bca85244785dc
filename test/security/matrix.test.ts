/** The authorisation matrix, checked request by request over real connections. */
import { writeFileSync } from 'node:fs'
import { Agent, request as httpRequest } from 'node:http'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import { appRouter } from '../../server/api/router.ts'
import { describeServer as describeApiOf } from '../../server/http/openapi/document.ts'
import type { Scope } from '../../shared/scopes.ts'
import { sqlite } from '../support/places.ts'
import { describeServer, type Settings, type StartServer, type TestServer } from '../support/server.ts'
import { tempFolder } from '../support/temp.ts'
import {
  PEERS,
  type Peer,
  PROCEDURE_SCOPES,
  type Requester,
  ROUTES,
  type Route,
  SETTINGS,
  type Setting,
  TOKENS,
  type TokenKind,
  type Verdict,
  verdictOn,
} from './matrix.ts'
import { fakePeers } from './peers.ts'
import { routesOf } from './routes.ts'

vi.setConfig({ testTimeout: 60_000 })

const ROOT = 'the-root-token-of-this-server'
const NETWORKS = { ALLOW_IPS: '10.0.0.0/8' }
/** Number of parallel requests. */
const LANES = 16

interface Target extends Route {
  readonly name: string
  readonly method: string
  readonly address: string
}

/** At run time the record is flat, keyed by full path; its type is nested. */
const procedures = new Map<string, object>(Object.entries(appRouter._def.procedures))
const definition = z.object({ type: z.enum(['query', 'mutation', 'subscription']) })

function kindOf(name: string): z.output<typeof definition>['type'] {
  const procedure = procedures.get(name)
  return definition.parse(procedure && '_def' in procedure && procedure._def).type
}

const description = z.object({ paths: z.record(z.string(), z.record(z.string(), z.unknown())) })

/** Every procedure rejects this input, so an authorised call gets 400 and changes nothing. */
const INVALID_INPUT = { surprise: 1 }

const TARGETS: readonly Target[] = [
  ...Object.entries(PROCEDURE_SCOPES).map(([name, scope]): Target => {
    const isMutation = kindOf(name) === 'mutation'
    const query = isMutation ? '' : `?input=${encodeURIComponent(JSON.stringify(INVALID_INPUT))}`
    const row = { access: 'call' as const, scope, name, address: `/trpc/${name}${query}` }
    return isMutation ? { ...row, method: 'POST', body: INVALID_INPUT } : { ...row, method: 'GET' }
  }),
  ...Object.entries(ROUTES).map(([name, route]): Target => {
    const [method = '', path = ''] = name.split(' ')
    return { ...route, name, method, address: route.path ?? path }
  }),
]

/** Returns a new address each time, so that the throttle for wrong tokens never applies. */
function addresses(): (peer: Peer) => string {
  let made = 0
  const first: Readonly<Record<Peer, number>> = { loopback: 127, allowed: 10, other: 198 }
  return (peer) => {
    made += 1
    const address = `${first[peer]}.${made >> 16}.${(made >> 8) & 255}.${made & 255}`
    // Every other one in the form of a dual-stack socket.
    return made % 2 === 0 ? address : `::ffff:${address}`
  }
}

async function makeTokens({ engine }: TestServer): Promise<Readonly<Record<TokenKind, string | null>>> {
  const make = async (name: string, scopes: readonly Scope[], expiresInMs?: number) =>
    engine.createToken({ name, scopes: [...scopes], ...(expiresInMs !== undefined && { expiresInMs }) })
  const all = ['produce', 'work', 'read', 'admin'] as const
  const revoked = await make('revoked', all)
  await engine.revokeToken({ id: revoked.id })
  const expired = await make('expired', all, 1_000)
  return {
    none: null,
    bad: 'not-a-token-of-this-server',
    root: ROOT,
    revoked: revoked.token,
    expired: expired.token,
    produce: (await make('produce', ['produce'])).token,
    work: (await make('work', ['work'])).token,
    read: (await make('read', ['read'])).token,
    admin: (await make('admin', ['admin'])).token,
  }
}

function headersOf(setting: Setting, port: number): Readonly<Record<string, string>> {
  const host = `localhost:${port}`
  switch (setting) {
    case 'plain':
      return { host }
    case 'own page':
      return { host, origin: `http://${host}`, 'sec-fetch-site': 'same-origin' }
    case 'foreign page':
      return { host, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
    case 'foreign image':
      return { host, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' }
    case 'foreign name':
      return { host: 'evil.example' }
  }
}

function statusOf(server: TestServer, agent: Agent, target: Target, headers: Readonly<Record<string, string>>) {
  const body = target.body === undefined ? null : JSON.stringify(target.body)
  const type = body === null ? {} : { 'content-type': 'application/json' }
  const options = { agent, port: server.address.port, host: '127.0.0.1', method: target.method, path: target.address }
  return new Promise<number>((resolve, reject) => {
    const request = httpRequest({ ...options, headers: { ...type, ...headers } }, (response) => {
      resolve(response.statusCode ?? 0)
      // An event stream does not end by itself.
      if (target.name === 'events') response.destroy()
      else response.resume()
    })
    request.once('error', reject).end(body)
  })
}

async function inLanes<Item>(items: readonly Item[], run: (item: Item) => Promise<void>): Promise<void> {
  const left = items.values()
  const lane = async () => {
    for (const item of left) await run(item)
  }
  await Promise.all(Array.from({ length: LANES }, lane))
}

/** Sends every combination, and returns the responses that differ from the table. */
async function findDeviations(
  server: TestServer,
  config: Pick<Requester, 'requiresToken' | 'hasNames'>,
  tokens: Readonly<Partial<Record<TokenKind, string | null>>>,
): Promise<{ readonly sent: number; readonly wrong: readonly string[] }> {
  const from = fakePeers()
  const addressOf = addresses()
  const agent = new Agent({ keepAlive: true, maxSockets: LANES })
  onTestFinished(() => agent.destroy())
  const cases = TARGETS.flatMap((target) =>
    TOKENS.filter((token) => token in tokens).flatMap((token) =>
      PEERS.flatMap((peer) => SETTINGS.map((setting) => ({ target, requester: { ...config, token, peer, setting } }))),
    ),
  )
  const wrong: string[] = []
  await inLanes(cases, async ({ target, requester }) => {
    const secret = tokens[requester.token]
    const status = await statusOf(server, agent, target, {
      ...from(addressOf(requester.peer)),
      ...headersOf(requester.setting, server.address.port),
      ...(secret && { authorization: `Bearer ${secret}` }),
      // As a browser sends it, so that error pages are checked too.
      ...(target.access === 'page' && { accept: 'text/html,*/*' }),
    })
    const verdict: Verdict = status === 401 || status === 403 ? status : 'in'
    const expected = verdictOn(target, requester)
    const { token, peer, setting } = requester
    if (verdict !== expected || status >= 500 || status === 429) {
      wrong.push(`${target.name}, token ${token}, ${peer}, ${setting}: ${status}, not ${expected}`)
    }
  })
  return { sent: cases.length, wrong }
}

describeServer(
  'the authorisation matrix',
  (startServer) => {
    const start = async (settings: Settings): ReturnType<StartServer> => {
      const pageFolder = await tempFolder()
      writeFileSync(join(pageFolder, 'index.html'), '<!doctype html>')
      return startServer({ ...NETWORKS, DURABILITY: 'normal', LOG_LEVEL: 'error', ...settings }, { pageFolder })
    }

    it('has a row for every procedure, every route and every operation of the OpenAPI document', async () => {
      expect(Object.keys(PROCEDURE_SCOPES).toSorted()).toEqual([...procedures.keys()].toSorted())
      const { paths } = description.parse(describeApiOf())
      const described = Object.entries(paths).flatMap(([path, methods]) =>
        Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
      )
      const known = new Set(TARGETS.flatMap(({ name, method }) => [name, `${method} /trpc/${name}`]))
      expect(described.filter((route) => !known.has(route))).toEqual([])
      expect((await routesOf()).filter((route) => !known.has(route))).toEqual([])
    })

    it('holds without tokens', async () => {
      const server = await start({})
      const tokens = { none: null, bad: 'not-a-token-of-this-server' }
      const { sent, wrong } = await findDeviations(server, { requiresToken: false, hasNames: false }, tokens)
      expect(sent).toBeGreaterThan(1_000)
      expect(wrong).toEqual([])
    })

    it('holds with AUTH_TOKEN and tokens of the database', { timeout: 180_000 }, async () => {
      const server = await start({ AUTH_TOKEN: ROOT })
      const tokens = await makeTokens(server)
      await server.place.sql(`UPDATE millrace_tokens SET expires_at = 1 WHERE name = 'expired'`)
      server.engine.keyring.changed()
      const { sent, wrong } = await findDeviations(server, { requiresToken: true, hasNames: false }, tokens)
      expect(sent).toBeGreaterThan(4_000)
      expect(wrong).toEqual([])
    })

    it('holds with tokens of the database only, and with ALLOWED_HOSTS', async () => {
      const server = await start({ ALLOWED_HOSTS: 'queue.example' })
      const { admin } = await makeTokens(server)
      const { wrong } = await findDeviations(server, { requiresToken: true, hasNames: true }, { none: null, admin })
      expect(wrong).toEqual([])
    })
  },
  [sqlite],
)

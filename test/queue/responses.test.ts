/** Responses that a proxy has changed: compressed, cut, redirected or not JSON. */
import dns from 'node:dns'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { openServerQueue } from '../../server/sdk/node-http/server-queue.ts'
import { openRemoteQueue } from '../../server/sdk/remote/remote-queue.ts'
import { refused } from '../support/engine.ts'
import { refusal } from '../support/refusal.ts'
import { heldServer } from './support/held-server.ts'

const JSON_TYPE = { 'content-type': 'application/json' }
const LARGE = { result: { data: 'ä'.repeat(100_000) } }
const COMPRESSIONS = [
  ['gzip', gzipSync],
  ['br', brotliCompressSync],
] as const

/** The lines of an export with these items, as tRPC streams them. */
function exported(items: readonly unknown[]): string {
  const lines: unknown[] = [{ 0: [[0], [null, 0, 0]] }, [0, 0, [[{ result: 0 }], ['result', 0, 1]]]]
  lines.push([1, 0, [[{ data: 0 }], ['data', 1, 2]]], ...items.map((item) => [2, 1, [[item]]]), [2, 0, [[]]])
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('')
}

describe.each([
  ['node:http', openServerQueue],
  ['fetch', openRemoteQueue],
])('a remote queue with %s', (_, open) => {
  it.each(COMPRESSIONS)(
    'reads responses and exports that a proxy has compressed with %s',
    async (encoding, compress) => {
      const server = await heldServer()
      server.onRequest = ({ path, raw }) => {
        const text = path.startsWith('export') ? exported([{ id: 'a' }, { id: 'b' }]) : JSON.stringify(LARGE)
        raw(200, { ...JSON_TYPE, 'content-encoding': encoding }, compress(text))
      }
      const queue = open({ url: server.url })
      expect(await queue.facts()).toBe(LARGE.result.data)
      const items = []
      for await (const item of queue.export({})) items.push(item)
      expect(items).toEqual([{ id: 'a' }, { id: 'b' }])
    },
  )

  it.each(COMPRESSIONS)('rejects a response with %s that is damaged or cut', async (encoding, compress) => {
    const server = await heldServer()
    const whole = compress(JSON.stringify(LARGE))
    const bodies = [Buffer.from('not compressed'), whole.subarray(0, whole.length >> 1)]
    server.onRequest = ({ raw }) => raw(200, { ...JSON_TYPE, 'content-encoding': encoding }, bodies.shift())
    const queue = open({ url: server.url })
    for (let i = 0; i < 2; i++) expect(await refused(queue.facts())).toMatchObject({ code: 'UNREACHABLE' })
  })

  it.each(['identity', 'gzip'])('rejects a response (%s) whose connection is cut', async (encoding) => {
    const server = await heldServer()
    const queue = open({ url: server.url })
    const call = refused(queue.facts())
    const { raw, socket } = await server.next()
    raw(200, { ...JSON_TYPE, 'content-encoding': encoding, 'content-length': '1000' }, gzipSync('{"result":'))
    socket.destroySoon()
    expect(await call).toMatchObject({ code: 'UNREACHABLE' })
  })

  it('closes the connection of an export when its reader stops', async () => {
    const server = await heldServer()
    const queue = open({ url: server.url })
    const reading = (async () => {
      for await (const item of queue.export({})) return item
    })()
    const { raw, closed } = await server.next()
    const text = exported([{ id: 'a' }, { id: 'b' }])
    raw(200, { ...JSON_TYPE, 'content-length': String(text.length + 1) }, text)
    expect(await reading).toEqual({ id: 'a' })
    await closed
  })

  it('rejects an export that ends early', async () => {
    const server = await heldServer()
    const text = exported([{ id: 'a' }])
      .split('\n')
      .slice(0, 4)
      .join('\n')
    server.onRequest = ({ raw }) => raw(200, JSON_TYPE, `${text}\n`)
    const items: unknown[] = []
    const reading = (async () => {
      for await (const item of open({ url: server.url }).export({})) items.push(item)
    })()
    expect([await refused(reading), items]).toMatchObject([{ code: 'UNREACHABLE' }, [{ id: 'a' }]])
  })

  it('rejects a response that is not JSON, and closes its connection', async () => {
    const server = await heldServer()
    const call = refused(open({ url: server.url }).facts())
    const { raw, closed } = await server.next()
    raw(502, { 'content-type': 'text/html', 'content-length': '1000' }, '<html>')
    expect(await call).toMatchObject({ code: 'UNREACHABLE', message: expect.stringContaining('HTTP 502 without JSON') })
    await closed
  })
})

it('a redirect is not followed, and the message names its target', async () => {
  const server = await heldServer()
  server.onRequest = ({ raw }) => raw(308, { location: 'https://queue.example/trpc/facts' })
  expect(await refused(openServerQueue({ url: server.url }).facts())).toMatchObject({
    code: 'UNREACHABLE',
    message: expect.stringContaining('HTTP 308 with a redirect to https://queue.example/trpc/facts'),
  })
})

it('a name with several addresses is unreachable with a message for each', async () => {
  const addresses = ['127.0.0.1', '127.0.0.2'].map((address) => ({ address, family: 4 }))
  const lookup = vi.spyOn(dns, 'lookup').mockImplementation((...args: unknown[]) => {
    const done = args.at(-1)
    if (typeof done === 'function') done(null, addresses)
  })
  onTestFinished(() => lookup.mockRestore())
  const { message } = await refused(openServerQueue({ url: 'http://two.invalid:1' }).facts())
  expect(message).toContain('(connect ECONNREFUSED 127.0.0.1:1, connect ECONNREFUSED 127.0.0.2:1)')
})

it('a token that no header can contain is rejected without a request', async () => {
  const server = await heldServer()
  const queue = openServerQueue({ url: server.url, token: 'line\nbreak' })
  expect([await refused(queue.facts()), server.connections]).toMatchObject([{ code: 'UNREACHABLE' }, 0])
})

it('a URL that is not valid is refused', () => {
  expect(refusal(() => openServerQueue({ url: 'http://' }))).toMatchObject({ code: 'BAD_INPUT' })
})

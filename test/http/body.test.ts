/** Request bodies over real connections: limits, discarded bytes and closed connections. */
import { once } from 'node:events'
import { type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { refusalOf } from '../api/support/responses.ts'
import { call, describeServer, type TestServer } from '../support/server.ts'

const MAX = 1_024
const MIB = 1_048_576
const LINGER = 64 * MIB

const KEEP_ALIVE = { 'content-type': 'application/json', connection: 'keep-alive' }

function describeSmall(subject: string, define: (startSmall: () => Promise<TestServer>) => void): void {
  describeServer(subject, (startServer) =>
    define(() => startServer({ MAX_BODY_BYTES: String(MAX), DURABILITY: 'normal' })),
  )
}

function open({ url }: TestServer, headers: OutgoingHttpHeaders = {}) {
  const options = { method: 'POST', agent: false, headers: { ...KEEP_ALIVE, ...headers } }
  return request(`${url}/trpc/enqueue`, options)
}

async function read(response: IncomingMessage) {
  let text = ''
  for await (const part of response) text += part
  return { status: response.statusCode, body: JSON.parse(text) as unknown }
}

async function send(server: TestServer, body: string | Buffer, headers: OutgoingHttpHeaders = {}) {
  const sending = open(server, { 'content-length': Buffer.byteLength(body), ...headers })
  const responded = once(sending, 'response')
  sending.end(body)
  const [message] = await responded
  return read(message)
}

/** Sends the body in two writes, so that Node uses chunked encoding. */
async function sendChunked(server: TestServer, body: string) {
  const sending = open(server)
  const responded = once(sending, 'response')
  sending.write(body.slice(0, body.length / 2))
  sending.end(body.slice(body.length / 2))
  const [message] = await responded
  expect(sending.hasHeader('content-length')).toBe(false)
  return read(message)
}

/** A job of this many bytes. */
function job(bytes: number): string {
  const frame = JSON.stringify({ type: 'mail', payload: '' })
  return JSON.stringify({ type: 'mail', payload: 'x'.repeat(bytes - frame.length) })
}

const pending = async ({ engine }: TestServer) => (await engine.counts()).pending

for (const [subject, post] of [
  ['a body of known length', send],
  ['a body in chunks', sendChunked],
] as const) {
  describeSmall(subject, (startSmall) => {
    it('a body of exactly MAX_BODY_BYTES is accepted', async () => {
      const server = await startSmall()
      expect(await post(server, job(MAX))).toMatchObject({ status: 200 })
      expect(await pending(server)).toBe(1)
    })

    it('a body of one byte over MAX_BODY_BYTES is rejected with 413', async () => {
      const server = await startSmall()
      const response = await post(server, job(MAX + 1))
      const { code, message } = refusalOf(response)
      expect([response.status, code, message]).toEqual([413, 'TOO_LARGE', expect.stringContaining('1025 bytes')])
      expect(await pending(server)).toBe(0)
    })
  })
}

/** Sends zeros with backpressure until all are sent, a response arrives or the connection is closed. */
async function pour(server: TestServer, bytes: number) {
  const sending = open(server)
  let isOver = false
  let wake = () => {}
  const end = () => {
    isOver = true
    wake()
  }
  const ended = new Promise<IncomingMessage | null>((resolve) => {
    sending.once('response', resolve).on('error', () => resolve(null))
  })
  void ended.then(end)
  sending.on('drain', () => wake())
  const zeros = Buffer.alloc(MIB)
  let sent = 0
  for (; sent < bytes && !isOver; sent += MIB) {
    if (sending.write(zeros)) continue
    await new Promise<void>((resolve) => {
      wake = resolve
      if (isOver) resolve()
    })
  }
  if (!isOver) sending.end()
  const response = await ended
  const answer = response && (await read(response))
  sending.destroy()
  return { sent, answer, isClosed: !response || response.headers.connection === 'close' }
}

describeSmall('a body far over the limit', (startSmall) => {
  it('a body less than 64 MiB over the limit is read to its end and rejected', { timeout: 60_000 }, async () => {
    const { sent, answer, isClosed } = await pour(await startSmall(), LINGER)
    expect([sent, answer?.status, refusalOf({ body: answer?.body }).code, isClosed]).toEqual([
      LINGER,
      413,
      'TOO_LARGE',
      false,
    ])
  })

  it('a body is not read beyond 64 MiB over the limit, and the server keeps running', { timeout: 60_000 }, async () => {
    const server = await startSmall()
    const { sent } = await pour(server, 8 * LINGER)
    expect(sent).toBeGreaterThan(LINGER)
    // Bytes already in socket buffers count as sent.
    expect(sent).toBeLessThan(2 * LINGER)
    expect((await call(server, 'enqueue', 'mutation', { type: 'mail', payload: 1 })).status).toBe(200)
    expect(await pending(server)).toBe(1)
  })

  it('a body more than 64 MiB over the limit closes its connection', { timeout: 60_000 }, async () => {
    expect((await pour(await startSmall(), 8 * LINGER)).isClosed).toBe(true)
  })
})

describeSmall('a body that is not JSON text', (startSmall) => {
  it.each([
    ['a lone continuation byte', [0x80]],
    ['a character cut short', [0xe2, 0x82]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
    ['an overlong slash', [0xc0, 0xaf]],
  ])('a body that is not JSON text is rejected with 400: %s', async (_, bytes) => {
    const server = await startSmall()
    const body = Buffer.concat([Buffer.from('{"type":"mail","payload":"'), Buffer.from(bytes), Buffer.from('"}')])
    const response = await send(server, body)
    const { code, message } = refusalOf(response)
    expect([response.status, code, message]).toEqual([400, 'BAD_INPUT', expect.stringContaining('UTF-8')])
    expect(await pending(server)).toBe(0)
  })

  it('a compressed body is rejected with 415', async () => {
    const server = await startSmall()
    const response = await send(server, gzipSync(job(200)), { 'content-encoding': 'gzip' })
    const { code, message } = refusalOf(response)
    expect([response.status, code, message]).toEqual([415, 'NOT_JSON', expect.stringContaining('gzip')])
    expect(await pending(server)).toBe(0)
  })
})

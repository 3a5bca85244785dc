/** `/export`: CSV and NDJSON files, redaction, access, and aborted downloads. */
import { request as httpRequest } from 'node:http'
import { expect, it } from 'vitest'
import { add, held, until } from '../support/engine.ts'
import { describeServer, type TestServer } from '../support/server.ts'

async function exported({ url }: Pick<TestServer, 'url'>, query: Readonly<Record<string, string>>, headers = {}) {
  const response = await fetch(`${url}/export?${new URLSearchParams(query)}`, { headers })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

const linesOf = (text: string) =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))

describeServer('an export', (startServer) => {
  it('export writes CSV with commas, quotes, line breaks and formulas escaped', async () => {
    const server = await startServer({ DURABILITY: 'normal' })
    const payload = { note: 'a, "b"\nc' }
    const job = await held(server.engine, { type: '=HYPERLINK("http://x")', payload, priority: -3, maxAttempts: 1 })
    await server.engine.fail({ id: job.id, version: job.version, error: 'two\nlines' })
    const { status, headers, text } = await exported(server, { format: 'csv' })
    expect([status, headers.get('content-type'), headers.get('content-disposition')]).toEqual([
      200,
      'text/csv; charset=utf-8',
      expect.stringMatching(/^attachment; filename="jobs-[\d-]+T[\d-]+\.csv"$/),
    ])
    const { createdAt, runAt, startedAt, finishedAt } = await server.engine.get({ id: job.id })
    const iso = (at: number | null) => (at === null ? '' : new Date(at).toISOString())
    expect(text).toBe(
      'id,type,status,priority,attempts,maxAttempts,worker,createdAt,runAt,startedAt,finishedAt,error,payload,result\r\n' +
        `${job.id},"'=HYPERLINK(""http://x"")",failed,-3,1,1,,${[createdAt, runAt, startedAt, finishedAt].map(iso).join(',')},` +
        `"two\nlines","{""note"":""a, \\""b\\""\\nc""}",\r\n`,
    )
  })

  it('export writes one JSON line per matching job, with redacted values as dots', async () => {
    const server = await startServer({ DURABILITY: 'normal' })
    const payload = { card: { number: '4111' }, to: 'ada' }
    const ids = [await add(server.engine, { payload }), await add(server.engine, { payload })]
    await add(server.engine, { type: 'other' })
    const filter = JSON.stringify({ type: 'mail' })
    const plain = await exported(server, { filter })
    expect(plain.headers.get('content-type')).toBe('application/x-ndjson')
    const { jobs } = await server.engine.list({ type: 'mail', payloads: true })
    expect(linesOf(plain.text)).toEqual(jobs)
    const hidden = linesOf((await exported(server, { filter, redact: 'payload.card.*' })).text)
    expect(hidden.map(({ id, payload: shown }) => [id, shown])).toEqual(
      ids.toReversed().map((id) => [id, { card: { number: '••••' }, to: 'ada' }]),
    )
    const head = await fetch(`${server.url}/export?format=csv`, { method: 'HEAD' })
    expect([head.status, head.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8'])
  })

  it.each([
    [{ format: 'xml' }, 'format'],
    [{ filter: '{' }, 'filter must be JSON'],
    [{ filter: '{"colour":"red"}' }, 'colour'],
    [{ redact: 'card.number' }, 'redact'],
  ])('export rejects %j with 400', async (query, text) => {
    const server = await startServer({ DURABILITY: 'normal' })
    const response = await exported(server, query)
    expect([response.status, response.text]).toEqual([400, expect.stringContaining(text)])
  })

  it('export returns only jobs of its types to a token with a type prefix', async () => {
    const server = await startServer({ DURABILITY: 'normal' })
    const id = await add(server.engine, { type: 'mail.welcome' })
    await add(server.engine, { type: 'sms' })
    const { token } = await server.engine.createToken({ name: 'mail', scopes: ['read'], typePrefix: 'mail.' })
    const authorization = `Bearer ${token}`
    const own = await exported(server, { filter: '{"type":"mail.welcome"}' }, { authorization })
    expect([own.status, linesOf(own.text).map((job) => job.id)]).toEqual([200, [id]])
    expect((await exported(server, { filter: '{"type":"sms"}' }, { authorization })).status).toBe(403)
    expect((await exported(server, {}, { authorization })).status).toBe(403)
    expect((await exported(server, {})).status).toBe(401)
  })

  it('export does not block other requests while many rules redact a large payload', async () => {
    const server = await startServer({ DURABILITY: 'normal' })
    // Every item matches the rules differently, so that no work can be cached.
    const payload = Array.from({ length: 20_000 }, (_, n) => ({
      [`k${n % 100}`]: { [`k${(n * 7 + (n >> 7)) % 100}`]: n },
    }))
    await add(server.engine, { payload })
    const rules = new URLSearchParams()
    for (let n = 0; n < 100; n++) rules.append('redact', `payload.**.*.**.k${n}.**.k${(n * 3) % 100}.**.x`)
    let responses = 0
    let isOver = false
    const whole = fetch(`${server.url}/export?${rules}`).then(async (response) => {
      const text = await response.text()
      isOver = true
      return text
    })
    while (!isOver) {
      expect((await fetch(`${server.url}/health`)).status).toBe(200)
      if (!isOver) responses += 1
    }
    expect(linesOf(await whole)).toMatchObject([{ payload }])
    expect(responses).toBeGreaterThan(4)
  })

  it('export stops reading when the client closes the connection', async () => {
    const server = await startServer({ DURABILITY: 'normal' })
    const payload = 'x'.repeat(100_000)
    for (let n = 0; n < 200; n++) await add(server.engine, { payload })
    const request = httpRequest(`${server.url}/export`).end()
    request.on('error', () => {})
    request.on('response', (response) => response.once('data', () => response.destroy()))
    const lineOfIt = () => server.logged.find(({ path }) => path === '/export')
    await until(() => lineOfIt() !== undefined)
    expect(lineOfIt()).toMatchObject({ aborted: true, status: 200 })
    expect(Number(lineOfIt()?.rows)).toBeLessThan(200)
    expect(server.logged.filter(({ level }) => Number(level) >= 50)).toEqual([])
  })
})

/** `/export`: files for spreadsheets and programs, whole, redacted where asked, and no work for who has hung up. */
import { request as httpRequest } from 'node:http'
import { expect, it } from 'vitest'
import { add, held, until } from '../support/engine.ts'
import { describeServer, type TestServer } from '../support/server.ts'

async function exported({ url }: Pick<TestServer, 'url'>, question: Readonly<Record<string, string>>, headers = {}) {
  const response = await fetch(`${url}/export?${new URLSearchParams(question)}`, { headers })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

const linesOf = (text: string) =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))

describeServer('an export', (startServer) => {
  it('is CSV that keeps commas, quotes, lines and formulas what they are', async () => {
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

  it('is a line of JSON for each job of the filter, with what rules hide as dots', async () => {
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
  ])('refuses %j in words', async (question, words) => {
    const server = await startServer({ DURABILITY: 'normal' })
    const { status, text } = await exported(server, question)
    expect([status, text]).toEqual([400, expect.stringContaining(words)])
  })

  it('gives a token with a prefix its own types, and nothing else', async () => {
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

  it('with many rules over a large payload lets other requests be answered meanwhile', async () => {
    const server = await startServer({ DURABILITY: 'normal' })
    // Every item takes another way through the rules, so that none of the work can be remembered.
    const payload = Array.from({ length: 20_000 }, (_, n) => ({
      [`k${n % 100}`]: { [`k${(n * 7 + (n >> 7)) % 100}`]: n },
    }))
    await add(server.engine, { payload })
    const rules = new URLSearchParams()
    for (let n = 0; n < 100; n++) rules.append('redact', `payload.**.*.**.k${n}.**.k${(n * 3) % 100}.**.x`)
    let answered = 0
    let isOver = false
    const whole = fetch(`${server.url}/export?${rules}`).then(async (response) => {
      const text = await response.text()
      isOver = true
      return text
    })
    while (!isOver) {
      expect((await fetch(`${server.url}/health`)).status).toBe(200)
      if (!isOver) answered += 1
    }
    expect(linesOf(await whole)).toMatchObject([{ payload }])
    expect(answered).toBeGreaterThan(4)
  })

  it('stops reading when nobody listens any more', async () => {
    const server = await startServer({ DURABILITY: 'normal' })
    const payload = 'x'.repeat(100_000)
    for (let n = 0; n < 200; n++) await add(server.engine, { payload })
    const asked = httpRequest(`${server.url}/export`).end()
    asked.on('error', () => {})
    asked.on('response', (response) => response.once('data', () => response.destroy()))
    const lineOfIt = () => server.logged.find(({ path }) => path === '/export')
    await until(() => lineOfIt() !== undefined)
    expect(lineOfIt()).toMatchObject({ aborted: true, status: 200 })
    expect(Number(lineOfIt()?.rows)).toBeLessThan(200)
    expect(server.logged.filter(({ level }) => Number(level) >= 50)).toEqual([])
  })
})

/** Streamed responses: exports of any length and the start of the event stream. */
import { expect, it } from 'vitest'
import type { Engine } from '../../../server/engine/engine.ts'
import { addMany, ids, until } from '../../support/engine.ts'
import { settle } from '../../support/test-clock.ts'
import { codesOf, refusedBy, streaming } from '../support/client.ts'
import { expectNoInsides, refusalOf } from '../support/responses.ts'
import { describeApi, summary } from '../support/world.ts'

type Exported = Awaited<ReturnType<Engine['list']>>['jobs'][number]

async function all(stream: AsyncIterable<Exported>): Promise<Exported[]> {
  const jobs: Exported[] = []
  for await (const job of stream) jobs.push(job)
  return jobs
}

describeApi('export', ({ openServer }) => {
  it('export streams every matching job once, newest first, over many pages', async () => {
    const server = await openServer()
    const expected = await addMany(server.engine, 450)
    await addMany(server.engine, 3, { type: 'fax' })
    const { client, sent } = streaming(server)
    const jobs = await all(await client.export.query({ type: 'mail' }))
    expect(ids(jobs)).toEqual(expected.reverse())
    expect(jobs[0]).toEqual({ ...summary({ id: expected[0] }), payload: { n: 449 }, result: null })
    expect(sent).toHaveLength(1)
    expect(await all(await client.export.query())).toHaveLength(453)
  })

  it('export is refused in a batch, and does not block other requests', async () => {
    const server = await openServer()
    await addMany(server.engine, 30, { payload: 'x'.repeat(200_000) })
    const { client } = streaming(server)
    const refusals = [client.export.query(), client.export.query()].map(async (asked) => {
      for await (const _ of await asked) break
    })
    const reasons = (await Promise.allSettled(refusals)).map((one) => one.status)
    expect(reasons).toEqual(['rejected', 'rejected'])
    let answers = 0
    const others = (async () => {
      for (let n = 0; n < 5; n++) {
        await fetch(`${server.url}/health`)
        answers += 1
      }
    })()
    let answersAtEnd = 0
    for await (const _ of await client.export.query()) answersAtEnd = answers
    await others
    expect(answersAtEnd).toBeGreaterThan(0)
  })

  it('export refuses an invalid filter', async () => {
    const server = await openServer()
    const { client } = streaming(server)
    const refusal = await refusedBy(client.export.query({ status: ['lost' as never] }))
    expect([codesOf(refusal), refusal.message]).toEqual([[400, 'BAD_INPUT'], expect.stringMatching(/^status\.0: /)])
  })

  it('export that fails midway ends with an error without details', async () => {
    const server = await openServer()
    await addMany(server.engine, 2)
    const { export: whole } = server.engine.parsed
    server.engine.parsed.export = async function* (filter) {
      for await (const job of whole(filter)) {
        yield job
        throw new Error('secret detail')
      }
    }
    const { client } = streaming(server)
    const got: string[] = []
    const reading = async () => {
      for await (const { id } of await client.export.query()) got.push(id)
    }
    const refusal = await refusedBy(reading())
    expect([got.length, codesOf(refusal)]).toEqual([1, [500, 'INTERNAL']])
    expectNoInsides(JSON.stringify(refusal.shape))
    expect(refusal.message).not.toContain('secret detail')
    expect(server.logText()).toContain('secret detail')
  })

  it('export stops reading when its client disconnects', async () => {
    const server = await openServer()
    let read = 0
    server.engine.parsed.export = async function* () {
      for (; ; read++) yield { pad: 'x'.repeat(10_000) } as never
    }
    const leaving = new AbortController()
    const response = await fetch(`${server.url}/trpc/export?batch=1&input=%7B%7D`, {
      headers: { 'trpc-accept': 'application/jsonl' },
      signal: leaving.signal,
    })
    await response.body?.getReader().read()
    leaving.abort()
    await until(() => server.logged.some((line) => line.aborted === true))
    await settle()
    const before = read
    for (let turn = 0; turn < 20; turn++) await settle()
    expect(read).toBe(before)
  })
})

describeApi('events', ({ openServer, openWorld }) => {
  /** The data after the handshake, as text. */
  async function firstWords(url: string, input: unknown): Promise<string> {
    const leaving = new AbortController()
    const query = `input=${encodeURIComponent(JSON.stringify(input))}`
    const response = await fetch(`${url}/trpc/events?${query}`, { signal: leaving.signal })
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
    let text = ''
    for await (const part of response.body ?? []) {
      text += Buffer.from(part).toString()
      if (/^data: \{"(?:at|message)".*\n/m.test(text)) break
    }
    leaving.abort()
    return text
  }

  it('the event stream begins with the counts and refetch', async () => {
    const { server } = await openWorld()
    const text = await firstWords(server.url, {})
    const [, frame = ''] = /^data: (\{"at".*)$/m.exec(text) ?? []
    expect(JSON.parse(frame)).toEqual({
      at: expect.any(Number),
      refetch: true,
      total: 0,
      changes: [],
      types: false,
      settings: false,
      workers: false,
      schedules: false,
      bulks: [],
      counts: await server.engine.counts(),
    })
    await until(() => server.frames.subscriberCount === 0)
  })

  it.each([
    [{ lastEventId: 7 }, 'lastEventId'],
    [{ surprise: 1 }, 'surprise'],
  ])('the event stream refuses %j inside the stream', async (input, field) => {
    const server = await openServer()
    const text = await firstWords(server.url, input)
    const [, error = ''] = /^event: serialized-error\ndata: (.*)$/m.exec(text) ?? []
    const refusal = refusalOf({ body: { error: JSON.parse(error) } })
    expect([refusal.code, refusal.path, refusal.message]).toEqual([
      'BAD_INPUT',
      'events',
      expect.stringContaining(field),
    ])
  })
})

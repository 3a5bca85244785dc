/** Payloads on the wire: JSON within the bounds comes back unchanged, everything else is rejected. */
import { expect, it } from 'vitest'
import { limits } from '../../../shared/limits.ts'
import type { Answer, TestServer } from '../../support/server.ts'
import { given, ok, refusalOf } from '../support/responses.ts'
import { describeApi } from '../support/world.ts'

/** The payload as text, because some cases have no JavaScript value. */
async function send(server: TestServer, payload: string): Promise<Answer> {
  const response = await fetch(`${server.url}/trpc/enqueue`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: `{"type":"mail","payload":${payload}}`,
  })
  return { status: response.status, headers: response.headers, body: await response.json() }
}

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
const objects = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`

/** Reads the payload through every procedure that returns it. */
async function readBack(server: TestServer, id: string): Promise<string[]> {
  const got = await ok<{ payload: unknown }>(server, 'get', { id })
  const listed = await ok<{ jobs: { payload: unknown }[] }>(server, 'list', { payloads: true })
  const taken = await ok<{ payload: unknown }[]>(server, 'claim', { worker: 'worker-1' })
  return [got, listed.jobs[0], taken[0]].map((one) => JSON.stringify(one?.payload))
}

describeApi('a payload', ({ openServer }) => {
  it.each([
    ['text beyond the first plane', '"ünï ☃ 🐎 \u2028 ﷽ \ufeff é"'],
    ['null', 'null'],
    ['false', 'false'],
    ['zero', '0'],
    ['a large number', '1.7976931348623157e+308'],
    ['an empty text', '""'],
    ['a backslash before what looks like an escape', '"\\\\u0000"'],
    ['keys that name parts of an object', '{"constructor":{"prototype":{"polluted":1}},"toString":"x","__proto__":7}'],
    ['a __proto__ that is an object', '{"__proto__":{"polluted":true},"a":{"__proto__":{"polluted":true}}}'],
    ['64 levels of lists', nested(64)],
    ['64 levels of objects', objects(64)],
  ])('a payload is returned unchanged: %s', async (_, text) => {
    const server = await openServer()
    const { id } = given<{ id: string }>(await send(server, text))
    expect(await readBack(server, id)).toEqual(Array(3).fill(text))
    expect('polluted' in {}).toBe(false)
  })

  it('a payload of exactly one mebibyte is returned unchanged', async () => {
    const server = await openServer()
    const text = JSON.stringify(`${'☃'.repeat(1_000)}${'x'.repeat(limits.payloadBytes - 3_002)}`)
    expect(Buffer.byteLength(text)).toBe(1_048_576)
    const { id } = given<{ id: string }>(await send(server, text))
    expect((await readBack(server, id)).map((back) => back === text)).toEqual([true, true, true])
  })

  it('a payload one byte over the limit is refused, counted in bytes and not in characters', async () => {
    const server = await openServer()
    const text = JSON.stringify(`${'☃'.repeat(1_000)}${'x'.repeat(limits.payloadBytes - 3_001)}`)
    const answer = await send(server, text)
    expect([answer.status, refusalOf(answer)]).toEqual([
      413,
      expect.objectContaining({ code: 'TOO_LARGE', details: { bytes: 1_048_577, maxBytes: 1_048_576 } }),
    ])
    expect((await server.engine.counts()).pending).toBe(0)
  })

  it.each([
    ['a NUL', '"a\\u0000b"', 'NUL'],
    ['a NUL in a key', '{"a\\u0000b":1}', 'NUL'],
    ['half of a pair', '"\\ud83d"', 'lone surrogate'],
    ['the other half', '["\\udc0e"]', 'lone surrogate'],
    ['halves the wrong way round', '"\\udc0e\\ud83d"', 'lone surrogate'],
    ['65 levels of lists', nested(65), '64 levels'],
    ['65 levels of objects', objects(65), '64 levels'],
    ['a million levels', nested(1_000_000), '64 levels'],
  ])('a payload is refused: %s', async (_, text, reason) => {
    const server = await openServer()
    const answer = await send(server, text)
    const refusal = refusalOf(answer)
    expect([answer.status, refusal.code, refusal.path]).toEqual([400, 'BAD_INPUT', 'enqueue'])
    expect(refusal.message).toMatch(/^payload /)
    expect(refusal.message).toContain(reason)
    expect((await server.engine.counts()).pending).toBe(0)
    expect(await ok(server, 'enqueue', { type: 'mail', payload: 'next' })).toMatchObject({ status: 'pending' })
  })

  it.each([
    ['type', { type: 'ma\0il' }],
    ['type', { type: 'ma\nil' }],
    ['dedupeKey', { dedupeKey: '\ud800' }],
    ['face', { face: '\0' }],
  ])('a job is refused with a %s that cannot be stored', async (field, input) => {
    const server = await openServer()
    const response = await fetch(`${server.url}/trpc/enqueue`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ type: 'mail', payload: 1, ...input }),
    })
    const refusal = refusalOf({ body: await response.json() })
    expect([response.status, refusal.message]).toEqual([400, expect.stringContaining(`${field}: `)])
    expect((await server.engine.counts()).pending).toBe(0)
  })

  it('a payload is refused when the body is not UTF-8', async () => {
    const server = await openServer()
    const body = Buffer.concat([
      Buffer.from('{"type":"mail","payload":"'),
      Buffer.from([0xc3, 0x28]),
      Buffer.from('"}'),
    ])
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(`${server.url}/trpc/enqueue`, { method: 'POST', headers, body })
    const refusal = refusalOf({ body: await response.json() })
    expect([response.status, refusal.code, refusal.message]).toEqual([
      400,
      'BAD_INPUT',
      expect.stringContaining('UTF-8'),
    ])
    expect((await server.engine.counts()).pending).toBe(0)
  })

  it('a payload cannot add a key to its call', async () => {
    const server = await openServer()
    const response = await fetch(`${server.url}/trpc/enqueue`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"__proto__":{"priority":9},"type":"mail","payload":1}',
    })
    const refusal = refusalOf({ body: await response.json() })
    expect([response.status, refusal.message]).toEqual([400, expect.stringContaining('__proto__')])
    expect((await server.engine.counts()).pending).toBe(0)
  })
})

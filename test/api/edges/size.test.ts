/** Size limits: the last valid size and the first invalid one, on both stores. */
import { describe, expect, it, vi } from 'vitest'
import { limits } from '../../../shared/limits.ts'
import { sameOnBoth, type Verdict } from '../support/twins.ts'

vi.setConfig({ testTimeout: 60_000 })

const OK = (name: string): Verdict => [name, 200, 'ok']
const BAD = (name: string): Verdict => [name, 400, 'BAD_INPUT']
const LARGE = (name: string): Verdict => [name, 413, 'TOO_LARGE']

/** A JSON text of this many bytes, quotes included, of characters of one to four bytes. */
function jsonOf(bytes: number): string {
  const some = '☃🐎é'.repeat(100)
  return JSON.stringify(some + 'x'.repeat(bytes - 2 - Buffer.byteLength(some)))
}

/** A name of this many characters, each of which takes as many bytes as it can. */
const longName = (characters: number) => '🐎'.repeat(characters)

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
const objects = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`

type Taken = readonly { readonly id: string; readonly version: number }[]

/** Used when a claim returned no job; the calls with it are then refused, which no test expects. */
const NO_CLAIM = { id: '', version: 0 }

describe('size limits on both stores', () => {
  it('payload and result limits are exact to the byte on both stores', async () => {
    const max = limits.payloadBytes
    const verdicts = await sameOnBoth(async ({ call, callRaw }) => {
      const enqueue = (name: string, payload: string) =>
        callRaw(name, 'enqueue', `{"type":"mail","payload":${payload}}`)
      await enqueue('payload of one byte', '1')
      await enqueue('payload at the limit', jsonOf(max))
      await enqueue('payload over the limit', jsonOf(max + 1))
      const taken = await call<Taken>('claimed', 'claim', { worker: 'w', limit: 10 })
      for (const { id, version } of taken ?? []) {
        const complete = (name: string, result: string) =>
          callRaw(name, 'complete', `{"id":"${id}","version":${version},"result":${result}}`)
        await complete('result over the limit', jsonOf(max + 1))
        await complete('result at the limit', jsonOf(max))
        await call('job', 'get', { id })
        await call('result', 'result', { ids: [id] })
      }
      await call('stored', 'list', { payloads: true, sort: 'oldest' })
    })
    const each = [LARGE('result over the limit'), OK('result at the limit'), OK('job'), OK('result')]
    expect(verdicts).toEqual([
      OK('payload of one byte'),
      OK('payload at the limit'),
      LARGE('payload over the limit'),
      OK('claimed'),
      ...[...each, ...each],
      OK('stored'),
    ])
  })

  it('name limits count characters, not bytes, on both stores', async () => {
    const fields = (length: number) => ({
      type: longName(length),
      dedupeKey: longName(length),
    })
    const verdicts = await sameOnBoth(async ({ call }) => {
      await call('names at the limit', 'enqueue', { ...fields(255), payload: 1 })
      await call('the same key again', 'enqueue', { ...fields(255), payload: 1 })
      for (const [field, value] of Object.entries(fields(256))) {
        await call(`${field} over the limit`, 'enqueue', { ...fields(255), payload: 1, [field]: value })
      }
      const claim = { worker: longName(255), types: [longName(255)], requestId: longName(128) }
      await call('worker over the limit', 'claim', { ...claim, worker: longName(256) })
      await call('requestId over the limit', 'claim', { ...claim, requestId: longName(129) })
      const taken = await call<Taken>('claimed at the limit', 'claim', claim)
      for (const { id, version } of taken ?? []) {
        await call('failed', 'fail', { id, version, error: longName(16_384), retry: false })
        await call('job', 'get', { id })
        await call('attempts', 'attempts', { id })
        await call('audited', 'retry', { id })
      }
      await call('paused', 'types.pause', { name: longName(255) })
      await call('by target', 'audit.list', { target: longName(255) })
      await call('failures', 'failures.groups', { type: longName(255) })
      await call('face at the limit', 'enqueue', { type: 'mail', payload: 1, face: longName(20) })
      await call('face over the limit', 'enqueue', { type: 'mail', payload: 1, face: longName(21) })
      await call('search at the limit', 'list', { search: longName(200) })
      await call('search over the limit', 'list', { search: longName(201) })
    })
    expect(verdicts).toEqual([
      OK('names at the limit'),
      OK('the same key again'),
      ...['type', 'dedupeKey', 'worker', 'requestId'].map((field) => BAD(`${field} over the limit`)),
      ...['claimed at the limit', 'failed', 'job', 'attempts', 'audited', 'paused', 'by target', 'failures'].map(OK),
      OK('face at the limit'),
      BAD('face over the limit'),
      OK('search at the limit'),
      BAD('search over the limit'),
    ])
  })

  it('log limits are exact to the line on both stores', async () => {
    const lines = (count: number, from = 0) => Array.from({ length: count }, (_, n) => ({ line: `line ${from + n}` }))
    const verdicts = await sameOnBoth(async ({ call }) => {
      await call('enqueued', 'enqueue', { type: 'mail', payload: 1 })
      const [{ id, version } = NO_CLAIM] = (await call<Taken>('claimed', 'claim', { worker: 'w' })) ?? []
      await call('no line', 'log', { id, version, lines: [] })
      await call('a line too many at once', 'log', { id, version, lines: lines(101) })
      for (let n = 0; n < 11; n++) await call('a hundred lines', 'log', { id, version, lines: lines(100, 100 * n) })
      await call('all of them', 'logs', { id, limit: 1_000 })
      await call('more than can be asked', 'logs', { id, limit: 1_001 })
      await call('after the last of all', 'logs', { id, after: Number.MAX_SAFE_INTEGER })
    })
    expect(verdicts).toEqual([
      ...['enqueued', 'claimed'].map(OK),
      ...['no line', 'a line too many at once'].map(BAD),
      ...Array(11).fill(OK('a hundred lines')),
      OK('all of them'),
      BAD('more than can be asked'),
      OK('after the last of all'),
    ])
  })

  it('list limits are exact to the item on both stores', async () => {
    const jobs = (count: number) => Array.from({ length: count }, (_, n) => ({ type: 'mail', payload: n }))
    const names = (count: number) => Array.from({ length: count }, (_, n) => `type-${n}`)
    const verdicts = await sameOnBoth(async ({ call }) => {
      await call('no job', 'enqueueMany', { jobs: [] })
      await call('a job too many', 'enqueueMany', { jobs: jobs(1_001) })
      await call('a thousand jobs', 'enqueueMany', { jobs: jobs(1_000) })
      await call('a type too many', 'claim', { worker: 'w', types: names(101) })
      await call('a claim too large', 'claim', { worker: 'w', limit: 101 })
      const claim = { worker: 'w', types: [...names(99), 'mail'], limit: 100 }
      const taken = (await call<Taken>('a hundred claims', 'claim', claim)) ?? []
      const settle = taken.map(({ id, version }) => ({ kind: 'complete', id, version, result: version }))
      await call('a settle too many', 'exchange', { worker: 'w', settle: [...settle, settle[0]] })
      await call('a hundred settles', 'exchange', { worker: 'w', settle })
      await call('a hundred results', 'result', { ids: taken.map(({ id }) => id) })
      await call('a result too many', 'result', { ids: [...taken, ...taken.slice(0, 1)].map(({ id }) => id) })
      await call('two hundred rows', 'list', { limit: 200 })
      await call('a row too many', 'list', { limit: 201 })
      await call('the last offset', 'list', { offset: 10_000 })
      await call('an offset too far', 'list', { offset: 10_001 })
      await call('two hundred types', 'types.declare', { types: names(200).map((name) => ({ name })) })
      await call('a declared type too many', 'types.declare', { types: names(201).map((name) => ({ name })) })
      await call('their order', 'types.list', {})
    })
    expect(verdicts).toEqual([
      ...['no job', 'a job too many'].map(BAD),
      OK('a thousand jobs'),
      ...['a type too many', 'a claim too large'].map(BAD),
      OK('a hundred claims'),
      BAD('a settle too many'),
      ...['a hundred settles', 'a hundred results'].map(OK),
      BAD('a result too many'),
      OK('two hundred rows'),
      BAD('a row too many'),
      OK('the last offset'),
      BAD('an offset too far'),
      OK('two hundred types'),
      BAD('a declared type too many'),
      OK('their order'),
    ])
  })

  it('JSON depth limits are exact to the level on both stores, and keys cannot pollute prototypes', async () => {
    const odd = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"":0,"a":1,"a":2}'
    const bodies = {
      odd,
      lists: nested(64),
      objects: objects(64),
      'lists too deep': nested(65),
      'objects too deep': objects(65),
    }
    const verdicts = await sameOnBoth(async ({ call, callRaw }) => {
      for (const [name, text] of Object.entries(bodies)) {
        await callRaw(name, 'enqueue', `{"type":"mail","payload":${text}}`)
      }
      await callRaw('a call with a __proto__', 'enqueue', `{"type":"mail","payload":1,"__proto__":{"priority":9}}`)
      const taken = (await call<Taken>('claimed', 'claim', { worker: 'w', limit: 10 })) ?? []
      for (const [name, result] of Object.entries(bodies).slice(2)) {
        const { id, version } = taken[name === 'objects' ? 0 : 1] ?? NO_CLAIM
        await callRaw(`result: ${name}`, 'complete', `{"id":"${id}","version":${version},"result":${result}}`)
      }
      const { id, version } = taken[2] ?? NO_CLAIM
      await callRaw('result: odd', 'complete', `{"id":"${id}","version":${version},"result":${odd}}`)
      await call('stored', 'list', { payloads: true, sort: 'oldest' })
      for (const path of ['__proto__.polluted', 'constructor.prototype.polluted', 'a', 'toString']) {
        await call(`by ${path}`, 'list', { payload: { path, equals: path === 'a' ? 2 : 1 } })
      }
    })
    expect(verdicts).toEqual([
      ...['odd', 'lists', 'objects'].map(OK),
      ...['lists too deep', 'objects too deep', 'a call with a __proto__'].map(BAD),
      ...['claimed', 'result: objects'].map(OK),
      ...['result: lists too deep', 'result: objects too deep'].map(BAD),
      ...['result: odd', 'stored', 'by __proto__.polluted', 'by constructor.prototype.polluted'].map(OK),
      ...['by a', 'by toString'].map(OK),
    ])
    expect('polluted' in {}).toBe(false)
  })
})

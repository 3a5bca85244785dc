/** Input validation: bad input is rejected with the name of the field; output of workers is sanitised and kept. */
import { expect, it } from 'vitest'
import { ERRORS } from '../../../shared/errors.ts'
import { limits } from '../../../shared/limits.ts'
import { add, describeEngine, held, refused, take } from '../../support/engine.ts'

const LONE = '\ud83d'

/** An array of arrays, `depth` levels deep. */
const nested = (depth: number): unknown => (depth === 1 ? [] : [nested(depth - 1)])

/** A JSON string of exactly this many bytes, including quotes. */
const jsonOf = (bytes: number) => 'x'.repeat(bytes - 2)

describeEngine('input', (open) => {
  it.each([
    ['a NUL', { text: 'a\u0000b' }],
    ['a NUL in a key', { 'a\u0000b': 1 }],
    ['a lone surrogate', ['fine', LONE]],
    ['half a pair at the end', `ok${LONE}`],
    ['a value that is not JSON', undefined],
    ['a function', () => 1],
    ['a bigint', { n: 1n }],
    ['65 levels', nested(65)],
  ])('refuses a payload with %s, and stores nothing', async (_, payload) => {
    const { engine, store } = await open()
    const refusal = await refused(add(engine, { payload }))
    expect([refusal.code, ERRORS[refusal.code].http, refusal.message]).toEqual([
      'BAD_INPUT',
      400,
      expect.stringContaining('payload'),
    ])
    expect(store.tried).toEqual([])
  })

  it('refuses a payload that contains itself', async () => {
    const { engine } = await open()
    const round: { self?: unknown } = {}
    round.self = round
    expect((await refused(add(engine, { payload: round }))).code).toBe('BAD_INPUT')
  })

  it.each([
    ['64 levels', nested(64)],
    ['an emoji', { text: 'a😀b' }],
    ['what only looks like a NUL', { text: '\\u0000 and \\ud83d' }],
    ['null', null],
    ['a prototype by name', JSON.parse('{"__proto__":{"x":1}}')],
  ])('returns a payload with %s unchanged', async (_, payload) => {
    const { engine } = await open()
    await add(engine, { payload })
    expect((await take(engine)).payload).toEqual(payload)
  })

  it('accepts a payload of exactly one mebibyte, and not one byte more', async () => {
    const { engine } = await open()
    const id = await add(engine, { payload: jsonOf(limits.payloadBytes) })
    expect((await engine.get({ id })).payload).toBe(jsonOf(limits.payloadBytes))
    const refusal = await refused(add(engine, { payload: jsonOf(limits.payloadBytes + 1) }))
    expect([refusal.code, ERRORS[refusal.code].http]).toEqual(['TOO_LARGE', 413])
    expect(refusal.details).toEqual({ bytes: limits.payloadBytes + 1, maxBytes: limits.payloadBytes })
    const wide = 'é'.repeat(limits.payloadBytes / 2)
    expect((await refused(add(engine, { payload: wide }))).code).toBe('TOO_LARGE')
    expect((await engine.stats()).counts.pending).toBe(1)
  })

  it('applies a smaller payload limit from the engine options', async () => {
    const { engine } = await open({ maxPayloadBytes: 100 })
    const job = await held(engine, { payload: jsonOf(100) })
    expect((await refused(add(engine, { payload: jsonOf(101) }))).code).toBe('TOO_LARGE')
    const large = engine.complete({ id: job.id, version: job.version, result: jsonOf(101) })
    expect((await refused(large)).message).toContain('result')
    expect((await engine.get({ id: job.id })).status).toBe('processing')
  })

  it('names the invalid job of enqueueMany, and stores none of the jobs', async () => {
    const { engine } = await open()
    const good = { type: 'mail', payload: 1 }
    const bad = [
      { jobs: [good, { ...good, payload: LONE }] },
      { jobs: [good, good, { ...good, priority: 0.5 }] },
      { jobs: [] },
      { jobs: Array(limits.enqueueMany + 1).fill(good) },
    ]
    const messages = await Promise.all(bad.map(async (input) => (await refused(engine.enqueueMany(input))).message))
    expect(messages.map((text) => /^jobs[.\w]*/.exec(text)?.[0])).toEqual([
      'jobs.1.payload',
      'jobs.2.priority',
      'jobs',
      'jobs',
    ])
    expect((await engine.stats()).counts.pending).toBe(0)
  })

  it.each([
    ['type', { type: '' }],
    ['type', { type: 'a\nb' }],
    ['type', { type: 'x'.repeat(256) }],
    ['type', { type: 7 }],
    ['priority', { priority: 1_000_001 }],
    ['priority', { priority: '5' }],
    ['delayMs', { delayMs: -1 }],
    ['delayMs', { delayMs: 1, runAt: 1 }],
    ['runAt', { runAt: limits.instant + 1 }],
    ['maxAttempts', { maxAttempts: 0 }],
    ['timeoutMs', { timeoutMs: 999 }],
    ['backoff', { backoff: { kind: 'random' } }],
    ['backoff.baseMs', { backoff: { kind: 'fixed', baseMs: -1 } }],
    ['dedupeKey', { dedupeKey: 'a\u0000b' }],
    ['dedupeUntil', { dedupeUntil: 'tomorrow' }],
    ['kind', { kind: 'cat' }],
    ['traceparent', { traceparent: 'xyz' }],
    ['colour', { colour: 'red' }],
  ])('names %s in the error for an invalid job', async (field, input) => {
    const { engine, store } = await open()
    const refusal = await refused(add(engine, input as never))
    expect([refusal.code, refusal.message]).toEqual(['BAD_INPUT', expect.stringContaining(field)])
    expect(store.tried).toEqual([])
  })

  it('names the field in the error of every other call', async () => {
    const { engine } = await open()
    const { id, version } = await held(engine)
    const calls: [string, Promise<unknown>][] = [
      ['worker', engine.claim({ worker: 'a\u0007' })],
      ['limit', engine.claim({ worker: 'w', limit: 101 })],
      ['waitMs', engine.claim({ worker: 'w', waitMs: 30_001 })],
      ['leaseMs', engine.claim({ worker: 'w', leaseMs: 999 })],
      ['types', engine.claim({ worker: 'w', types: [] })],
      ['requestId', engine.claim({ worker: 'w', requestId: LONE })],
      ['version', engine.complete({ id, version: 0 })],
      ['id', engine.complete({ id: 'seven', version })],
      ['error', engine.fail({ id, version, error: 7 as never })],
      ['retryInMs', engine.fail({ id, version, error: 'x', retryInMs: -1 })],
      ['delayMs', engine.release({ id, version, delayMs: 0.5 })],
      ['progress', engine.progress({ id, version, progress: 101 })],
      ['lines', engine.log({ id, version, lines: [] })],
      ['leases.0.version', engine.heartbeat({ worker: 'w', leases: [{ id, version: 1.5 }] })],
      ['settle.0.kind', engine.exchange({ worker: 'w', settle: [{ kind: 'explode' } as never] })],
      ['id', engine.get({ id: 'seven' })],
      ['id', engine.cancel({ id: 'seven' })],
      ['id', engine.bulk({ id: 'seven' })],
      ['type', engine.stats({ type: '' })],
      ['name', engine.updateType({ name: '', set: {} })],
      ['worker', engine.drainWorker({ worker: '' })],
      ['actor', engine.pause({ actor: '' })],
    ]
    const messages = await Promise.all(calls.map(async ([field, call]) => [field, (await refused(call)).message]))
    const unnamed = messages.filter(([field = '', message = '']) => !message.startsWith(`${field}:`))
    expect(unnamed).toEqual([])
    expect((await engine.get({ id })).status).toBe('processing')
  })
})

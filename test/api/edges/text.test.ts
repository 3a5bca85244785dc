/** Text that cannot be stored, and text that only looks like it: both stores handle it alike, in every text field. */
import { describe, expect, it, vi } from 'vitest'
import { sameOnBoth } from '../support/twins.ts'
import { MISSING } from '../support/world.ts'

vi.setConfig({ testTimeout: 60_000 })

/** Refused in names and payloads; replaced by a mark in output of workers. */
const UNSTORABLE = {
  'a NUL': 'a\0b',
  'half of a pair': 'a\ud83d',
  'halves the wrong way round': '\udc0e\ud83d',
}

/** Unusual but storable. */
const STORABLE = {
  'characters beyond the first plane, a mark of byte order and what is no character': '🐎\u{10ffff}\ufeff\uffff\ufffe',
  'what looks like an escape': '\\u0000',
  'quotes that end a statement': `'"\`$1$$); DROP TABLE millrace_jobs; --`,
  'signs of patterns': '%_\\',
  'spaces around a letter of two parts': ' e\u0301 ',
}

/** Every text field that a producer, a worker or an operator can set. */
const NAMES: readonly [field: string, procedure: string, input: (text: string) => object][] = [
  ['type', 'enqueue', (type) => ({ type, payload: 1 })],
  ['payload', 'enqueue', (payload) => ({ type: 'mail', payload })],
  ['a key of the payload', 'enqueue', (key) => ({ type: 'mail', payload: { [key]: 1 } })],
  ['dedupeKey', 'enqueue', (dedupeKey) => ({ type: 'mail', payload: 1, dedupeKey })],
  ['worker', 'claim', (worker) => ({ worker, types: ['none'] })],
  ['types', 'claim', (text) => ({ worker: 'w1', types: [text] })],
  ['requestId', 'claim', (requestId) => ({ worker: 'w2', types: ['none'], requestId })],
  ['worker of an exchange', 'exchange', (worker) => ({ worker })],
  ['worker of a heartbeat', 'heartbeat', (worker) => ({ worker, leases: [{ id: MISSING, version: 1 }] })],
  ['type of a filter', 'list', (type) => ({ type })],
  ['worker of a filter', 'list', (worker) => ({ worker })],
  ['search', 'list', (search) => ({ search })],
  ['error of a filter', 'list', (error) => ({ error })],
  ['a value of the payload', 'list', (equals) => ({ payload: { path: 'a', equals } })],
  ['type of statistics', 'stats', (type) => ({ type })],
  ['type of a history', 'history', (type) => ({ type })],
  ['type of failures', 'failures.groups', (type) => ({ type })],
  ['target', 'audit.list', (target) => ({ target })],
  ['a declared name', 'types.declare', (name) => ({ types: [{ name }] })],
  [
    'a word of a schema',
    'types.declare',
    (text) => ({
      types: [{ name: 'mail', settings: { payloadSchema: { title: text } } }],
    }),
  ],
  ['a type', 'types.get', (name) => ({ name })],
  ['a type to pause', 'types.pause', (name) => ({ name })],
  ['a worker to drain', 'workers.drain', (worker) => ({ worker })],
  ['a filter of a bulk operation', 'bulk.start', (search) => ({ action: 'cancel', filter: { search }, undoMs: 0 })],
]

describe('names and payloads on both stores', () => {
  it.each(Object.entries(UNSTORABLE))(
    'a name or payload with %s is refused with the same message on both stores',
    async (_, text) => {
      const verdicts = await sameOnBoth(async ({ call }) => {
        for (const [field, procedure, input] of NAMES) await call(field, procedure, input(text))
        await call('all that was stored', 'list', {})
      })
      expect(verdicts).toEqual([
        ...NAMES.map(([field]) => [field, 400, 'BAD_INPUT']),
        ['all that was stored', 200, 'ok'],
      ])
    },
  )

  it.each(Object.entries(STORABLE))(
    'a name or payload with %s is returned unchanged by both stores',
    async (_, text) => {
      // Left out: history has one more row when a minute ends during the test, and a bulk operation is asynchronous.
      const names = NAMES.filter(([, procedure]) => !['history', 'bulk.start'].includes(procedure))
      const verdicts = await sameOnBoth(async ({ call }) => {
        for (const [field, procedure, input] of names) await call(field, procedure, input(text))
        const name = { type: text, dedupeKey: text }
        // A separate worker name, because changed types of a known worker are stored with a delay.
        const claim = { worker: `by ${text}`, types: [text], requestId: text, limit: 5 }
        const input = { ...name, payload: { [text]: [text] } }
        await call('all of them at once', 'enqueue', input)
        await call('again under the same key', 'enqueue', input)
        await call('under a key with other spaces', 'enqueue', { ...input, dedupeKey: `${text} ` })
        await call('all that was stored', 'list', { payloads: true, sort: 'oldest' })
        await call('by what is in it', 'list', { search: text, sort: 'oldest' })
        await call('by its type', 'list', { type: text })
        await call('claimed', 'claim', claim)
        await call('claimed again', 'claim', claim)
        await call('by its worker', 'list', { worker: claim.worker, sort: 'oldest' })
        await call('types', 'types.list', {})
        await call('workers', 'workers.list', {})
        await call('trail', 'audit.list', {})
      })
      expect(verdicts.filter(([, , code]) => !['ok', 'NOT_FOUND', 'BAD_INPUT'].includes(code))).toEqual([])
      expect(
        verdicts
          .slice(names.length)
          .filter(([name]) => !name.startsWith('under'))
          .map(([, , code]) => code),
      ).toEqual(Array(11).fill('ok'))
    },
  )
})

/** Output of a worker is kept, whatever it contains. */
const WORDS = [
  '\0',
  '\udc0e',
  ...Object.values(UNSTORABLE),
  ...Object.values(STORABLE),
  '',
  '\n',
  '\r\n\t\u001b[31m',
  '\u2028',
  '\u007f\u0080',
]

describe('output of a worker on both stores', () => {
  it('output of a worker is kept by both stores, with a mark for unstorable characters', async () => {
    const verdicts = await sameOnBoth(async ({ call }) => {
      const jobs = WORDS.map((_, n) => ({ type: 'mail', payload: n, maxAttempts: 1 }))
      await call('enqueued', 'enqueueMany', { jobs })
      const taken = await call<{ id: string; version: number }[]>('claimed', 'claim', { worker: 'w', limit: 100 })
      for (const [n, { id, version }] of (taken ?? []).entries()) {
        const lines = [{ line: WORDS[n] }, { line: `${WORDS[n]}!`, stream: 'stderr' }]
        await call('logged', 'log', { id, version, lines })
        if (n % 2 === 0) await call('failed', 'fail', { id, version, error: WORDS[n] })
        else await call('completed', 'complete', { id, version, result: { [`${WORDS[n]}`]: [WORDS[n]] } })
        await call('job', 'get', { id })
        await call('attempts', 'attempts', { id })
        await call('logs', 'logs', { id })
        await call('explained', 'explain', { id })
      }
      await call('results', 'result', { ids: taken?.map(({ id }) => id) })
      await call('groups', 'failures.groups', {})
      await call('all', 'list', { payloads: true })
    })
    expect(verdicts.length).toBe(2 + 6 * WORDS.length + 3)
    expect(verdicts.filter(([, status]) => status !== 200)).toEqual([])
  })

  it('output of a worker that is too long is cut by both stores, never inside a surrogate pair', async () => {
    const lengths = [999, 1_000, 1_001, 4_095, 4_096, 4_097, 16_383, 16_384, 16_385, 200_000]
    const words = lengths.flatMap((length) => ['x'.repeat(length), '☃'.repeat(length), `x${'🐎'.repeat(length / 2)}y`])
    const verdicts = await sameOnBoth(async ({ call }) => {
      await call('enqueued', 'enqueueMany', {
        jobs: words.map((_, n) => ({ type: 'mail', payload: n, maxAttempts: 1 })),
      })
      const taken = await call<{ id: string; version: number }[]>('claimed', 'claim', { worker: 'w', limit: 100 })
      for (const [n, { id, version }] of (taken ?? []).entries()) {
        await call('logged', 'log', { id, version, lines: [{ line: words[n] }] })
        await call('failed', 'fail', { id, version, error: words[n] })
        for (const procedure of ['get', 'attempts', 'logs']) await call(procedure, procedure, { id })
      }
      await call('groups', 'failures.groups', {})
    })
    expect(verdicts.length).toBe(2 + 5 * words.length + 1)
    expect(verdicts.filter(([, status]) => status !== 200)).toEqual([])
  })
})

/** Search and order where databases differ: case, patterns, escapes, paths, the order of names. */
import { describe, expect, it, vi } from 'vitest'
import { DATABASES, postgresInGerman } from '../../support/places.ts'
import { sameOnBoth } from '../support/twins.ts'

/** Letters with irregular case rules, characters with a meaning in patterns, and characters that JSON escapes. */
const TEXTS = [
  ...['Straße', 'STRASSE', 'École', 'école', 'İstanbul', 'istanbul', '\u212a', 'ſ', 'ΟΔΟΣ', 'οδος'],
  ...['50%', '5_0', 'back\\slash', 'C:\\new', '"quoted"', "it's", 'two\nlines', 'tab\there', '\u2028', '\u007f'],
  ...['*', '[a-z]', '^a$', '日本語', '🐎', 'e\u0301', '\u00e9'],
]

const SEARCHES = [
  ...['straße', 'strasse', 'ÉCOLE', 'école', 'i̇stanbul', 'ISTANBUL', 'K', 'k', 's', 'ς', 'σ', 'Σ'],
  ...[
    '%',
    '_',
    '\\',
    '\\\\',
    '\\n',
    '\n',
    '\t',
    '"',
    "'",
    '\u2028',
    '\u007f',
    '*',
    '[',
    '^',
    '日本',
    '🐎',
    'é',
    '\u00e9',
  ],
]

vi.setConfig({ testTimeout: 60_000 })

const STORES = [...DATABASES, postgresInGerman]

describe('search on both stores', () => {
  it('search finds the same jobs by payload, key and error on both stores', async () => {
    const verdicts = await sameOnBoth(async ({ call }) => {
      const jobs = TEXTS.map((text, n) => ({
        ...{ type: 'mail', payload: { [`in ${text}`]: 1, key: text }, maxAttempts: 1 },
        ...(n % 2 === 0 && { dedupeKey: text }),
      }))
      await call('enqueued', 'enqueueMany', { jobs })
      const taken = await call<{ id: string; version: number }[]>('claimed', 'claim', { worker: 'w', limit: 100 })
      const settle = taken?.map(({ id, version }, n) => ({ kind: 'fail', id, version, error: TEXTS[n] }))
      await call('failed', 'exchange', { worker: 'w', settle })
      for (const search of SEARCHES) {
        await call(`search ${search}`, 'list', { search, sort: 'oldest' })
      }
      for (const error of ['STRASSE', 'ÉCOLE', '\u212a', '%', '\\', '\n', '\u00e9']) {
        await call(`error ${error}`, 'list', { error, sort: 'oldest' })
      }
      for (const equals of TEXTS) await call(`equals ${equals}`, 'list', { payload: { path: 'key', equals } })
      await call('groups', 'failures.groups', {})
    }, STORES)
    expect(verdicts).toHaveLength(4 + SEARCHES.length + 7 + TEXTS.length)
    expect(verdicts.filter(([, status]) => status !== 200)).toEqual([])
  })

  it('payload paths find the same jobs on both stores', async () => {
    const keys = [
      'a',
      'A',
      '0',
      '00',
      '007',
      '-',
      '_',
      '$',
      '$a',
      'a-b',
      'ключ',
      '٣',
      '①',
      'é',
      'e\u0301',
      '日本',
      'last',
    ]
    const payload = {
      ...Object.fromEntries(keys.map((key) => [key, key])),
      list: ['first', { 0: 'inside', deep: [['x']] }],
      object: { 0: 'zero', 1: { 0: 'one' }, '': 'empty' },
    }
    const places = ['list.0', 'list.1', 'list.1.0', 'list.1.deep.0.0', 'list.00', 'list.-1', 'object.0', 'object.1.0']
    const values = ['first', 'inside', 'x', 'zero', 'one', null, 0, true]
    const verdicts = await sameOnBoth(async ({ call }) => {
      await call('enqueued', 'enqueue', { type: 'mail', payload })
      await call('a list', 'enqueue', { type: 'mail', payload: ['first', 'a'] })
      await call('a text', 'enqueue', { type: 'mail', payload: 'a' })
      for (const path of keys) await call(`path ${path}`, 'list', { payload: { path, equals: path } })
      for (const path of ['0', '1', ...places]) {
        for (const equals of values) await call(`${path} = ${equals}`, 'list', { payload: { path, equals } })
      }
      await call('too many positions', 'list', { payload: { path: '0.1.2.3.4', equals: 1 } })
      await call('four positions', 'list', { payload: { path: '0.1.2.3', equals: 1 } })
    }, STORES)
    const refused = verdicts.filter(([, status]) => status !== 200)
    expect(refused.map(([name, , code]) => [name, code])).toEqual([
      ['path e\u0301', 'BAD_INPUT'],
      ['too many positions', 'BAD_INPUT'],
    ])
  })

  it('names are sorted the same way on both stores, independent of the collation', async () => {
    const names = ['b', 'a', 'B', 'A', 'é', 'e', 'z', 'ä', '_', '10', '9', 'a b', 'a-b', '🐎', '\uffff', '日本', 'Ω']
    const verdicts = await sameOnBoth(async ({ call }) => {
      const jobs = names.flatMap((type) => [0, 1].map((payload) => ({ type, payload, maxAttempts: 1 })))
      await call('enqueued', 'enqueueMany', { jobs })
      for (const worker of names) {
        const taken = await call<{ id: string; version: number }[]>('claimed', 'claim', { worker, types: [worker] })
        const settle = taken?.map(({ id, version }) => ({ kind: 'fail', id, version, error: `${worker} ${worker}` }))
        await call('failed', 'exchange', { worker, settle })
      }
      for (const list of ['types.list', 'workers.list', 'stats', 'failures.groups', 'audit.list', 'list']) {
        await call(list, list, {})
      }
      await call('claimed from all', 'claim', { worker: 'w', limit: 100 })
    }, STORES)
    expect(verdicts.filter(([, status]) => status !== 200)).toEqual([])
    expect(verdicts).toHaveLength(1 + 2 * names.length + 7)
  })
})

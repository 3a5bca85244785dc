/** Input contracts: defaults, bounds and unknown keys. */
import { describe, expect, it } from 'vitest'
import type { z } from 'zod'
import { jobFilter, listInput, resultInput } from '../../../shared/contracts/observe.ts'
import { bulkInput, cleanupInput } from '../../../shared/contracts/operate.ts'
import { enqueueInput, enqueueManyInput } from '../../../shared/contracts/produce.ts'
import {
  claimInput,
  completeInput,
  exchangeInput,
  failInput,
  heartbeatInput,
  logInput,
  progressInput,
  releaseInput,
  settleInput,
} from '../../../shared/contracts/work.ts'
import { limits } from '../../../shared/limits.ts'
import { errorKey } from '../../../shared/stats/error-key.ts'
import { parseInput } from '../../../shared/verbs/parse-input.ts'

const ID = '018f6f0e-7b1a-7c3e-9a55-0123456789ab'
const LEASE = { id: ID, version: 1 }

/** Every procedure's smallest valid input. */
const SMALLEST: Record<string, [schema: z.ZodType, input: Record<string, unknown>]> = {
  enqueue: [enqueueInput, { type: 't', payload: null }],
  enqueueMany: [enqueueManyInput, { jobs: [{ type: 't', payload: null }] }],
  claim: [claimInput, { worker: 'w' }],
  exchange: [exchangeInput, { worker: 'w' }],
  heartbeat: [heartbeatInput, { worker: 'w', leases: [] }],
  complete: [completeInput, LEASE],
  fail: [failInput, { ...LEASE, error: '' }],
  release: [releaseInput, LEASE],
  settle: [settleInput, { kind: 'release', ...LEASE }],
  progress: [progressInput, { ...LEASE, progress: 0 }],
  log: [logInput, { ...LEASE, lines: [{ line: '' }] }],
  filter: [jobFilter, {}],
  list: [listInput, {}],
  cleanup: [cleanupInput, {}],
  result: [resultInput, { ids: [ID] }],
  bulk: [bulkInput, { action: 'retry', filter: {} }],
}

function accepts(procedure: string, change: Record<string, unknown>): boolean {
  const [schema, input] = SMALLEST[procedure] ?? []
  if (!schema) throw new Error(`no procedure ${procedure}`)
  return schema.safeParse({ ...input, ...change }).success
}

describe('every contract', () => {
  it.each(Object.keys(SMALLEST))('accepts the smallest input of %s and refuses unknown keys', (procedure) => {
    expect(accepts(procedure, {})).toBe(true)
    expect(accepts(procedure, { surprise: 1 })).toBe(false)
  })

  it.each([
    ['enqueue', 'priority', -limits.priority, limits.priority],
    ['enqueue', 'delayMs', 0, limits.delayMs],
    ['enqueue', 'runAt', 0, limits.instant],
    ['enqueue', 'expiresAt', 0, limits.instant],
    ['enqueue', 'maxAttempts', 1, limits.attempts],
    ['enqueue', 'timeoutMs', limits.timeoutMs.min, limits.timeoutMs.max],
    ['claim', 'limit', 1, limits.claim],
    ['claim', 'waitMs', 0, limits.waitMs],
    ['claim', 'leaseMs', limits.leaseMs.min, limits.leaseMs.max],
    ['heartbeat', 'leaseMs', limits.leaseMs.min, limits.leaseMs.max],
    ['complete', 'version', 1, Number.MAX_SAFE_INTEGER],
    ['fail', 'retryInMs', 0, limits.delayMs],
    ['fail', 'exitCode', -1_000, 1_000],
    ['release', 'delayMs', 0, limits.delayMs],
    ['progress', 'progress', 0, 100],
    ['list', 'limit', 1, limits.list],
    ['list', 'offset', 0, limits.offset],
    ['list', 'priority', -limits.priority, limits.priority],
    ['list', 'from', 0, limits.instant],
    ['cleanup', 'olderThanMs', 0, limits.retentionMs],
    ['result', 'waitMs', 0, limits.waitMs],
    ['bulk', 'undoMs', 0, 60_000],
  ])('bounds %s.%s to %d … %d', (procedure, key, min, max) => {
    expect([min, max].map((value) => accepts(procedure, { [key]: value }))).toEqual([true, true])
    const bad = [min - 1, max + 1, Number.NaN, Number.POSITIVE_INFINITY, `${min}`, null]
    expect(bad.filter((value) => accepts(procedure, { [key]: value }))).toEqual([])
  })

  it.each([
    ['enqueue', 'type', limits.typeLength],
    ['enqueue', 'dedupeKey', limits.keyLength],
    ['enqueue', 'face', 20],
    ['claim', 'worker', limits.workerLength],
    ['claim', 'requestId', limits.requestIdLength],
    ['list', 'search', limits.searchLength],
    ['list', 'error', limits.searchLength],
  ])('bounds the text %s.%s to 1 … %d characters', (procedure, key, max) => {
    expect(accepts(procedure, { [key]: 'x' })).toBe(true)
    expect(accepts(procedure, { [key]: 'x'.repeat(max) })).toBe(true)
    expect(accepts(procedure, { [key]: '' })).toBe(false)
    expect(accepts(procedure, { [key]: 'x'.repeat(max + 1) })).toBe(false)
    expect(accepts(procedure, { [key]: 'a\u0000b' })).toBe(false)
    expect(accepts(procedure, { [key]: 'a\ud800b' })).toBe(false)
  })

  it.each([
    ['enqueueMany', 'jobs', { type: 't', payload: 1 }, 1, limits.enqueueMany],
    ['claim', 'types', 't', 1, 100],
    ['exchange', 'settle', { kind: 'release', ...LEASE }, 0, limits.settle],
    ['heartbeat', 'leases', LEASE, 0, limits.leases],
    ['log', 'lines', { line: 'x' }, 1, limits.logLines],
    ['result', 'ids', ID, 1, limits.results],
    ['filter', 'ids', ID, 1, limits.filterIds],
  ])('bounds the list %s.%s', (procedure, key, item, min, max) => {
    const holds = (n: number): boolean => accepts(procedure, { [key]: Array.from({ length: n }, () => item) })
    expect([holds(min), holds(max), holds(max + 1)]).toEqual([true, true, false])
    if (min > 0) expect(holds(min - 1)).toBe(false)
  })

  it.each(['type\n', '\ttype', 'a\u0007', 'a\u007f', 'a\u0085'])('refuses the unprintable type %j', (type) => {
    expect(accepts('enqueue', { type })).toBe(false)
    expect(accepts('claim', { worker: type })).toBe(false)
  })

  it('accepts printable types of any alphabet', () => {
    for (const type of ['mail.send', 'отчёт', '請求書', '🚚 ship', "it's <b>", 'a'.repeat(255)]) {
      expect(accepts('enqueue', { type })).toBe(true)
    }
  })
})

describe('a filter', () => {
  it('accepts every error key, including the empty one', () => {
    const keys = ['', 'x', 'x'.repeat(limits.errorKeyLength), errorKey('row 7 of <none> "gone"')]
    expect(keys.map((key) => accepts('filter', { errorKey: key }))).toEqual([true, true, true, true])
    const bad = ['x'.repeat(limits.errorKeyLength + 1), 'a\u0000b', 'a\ud800b', null, 7]
    expect(bad.filter((key) => accepts('filter', { errorKey: key }))).toEqual([])
    expect(accepts('filter', { ids: ['seven'] })).toBe(false)
  })
})

describe('enqueue', () => {
  it('fills in the defaults', () => {
    expect(enqueueInput.parse({ type: 't', payload: 1 })).toEqual({
      type: 't',
      payload: 1,
      priority: 0,
      dedupeUntil: 'removed',
      kind: 'job',
      face: 'api',
    })
  })

  it('accepts delayMs or runAt, not both', () => {
    expect(accepts('enqueue', { delayMs: 1 })).toBe(true)
    expect(accepts('enqueue', { runAt: 1 })).toBe(true)
    expect(accepts('enqueue', { delayMs: 0, runAt: 1 })).toBe(false)
    expect(accepts('enqueueMany', { jobs: [{ type: 't', payload: 1, delayMs: 1, runAt: 1 }] })).toBe(false)
  })

  it('accepts only a valid W3C traceparent', () => {
    const good = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
    expect(accepts('enqueue', { traceparent: good })).toBe(true)
    for (const bad of ['', good.toUpperCase(), `${good}0`, good.slice(1)]) {
      expect(accepts('enqueue', { traceparent: bad })).toBe(false)
    }
  })
})

describe('the other procedures', () => {
  it('fill in their defaults', () => {
    expect(claimInput.parse({ worker: 'w' })).toEqual({ worker: 'w', limit: 1, waitMs: 0, settle: false })
    expect(failInput.parse({ ...LEASE, error: 'e' })).toEqual({ ...LEASE, error: 'e', retry: true, cancel: false })
    expect(releaseInput.parse(LEASE)).toEqual({ ...LEASE, delayMs: 0, groupBusy: false })
    expect(exchangeInput.parse({ worker: 'w' })).toEqual({ worker: 'w', settle: [] })
    expect(listInput.parse({})).toEqual({ sort: 'newest', limit: 50, payloads: false })
    expect(bulkInput.parse({ action: 'cancel', filter: {} })).toEqual({ action: 'cancel', filter: {}, undoMs: 10_000 })
  })

  it('accept details of a worker within bounds', () => {
    const takes = (about: unknown) => [accepts('claim', { about }), accepts('exchange', { claim: { about } })]
    const { workerVersionLength: most, concurrency } = limits
    const good = [{}, { slots: 1 }, { slots: concurrency }, { version: 'v' }, { version: '請'.repeat(most), slots: 3 }]
    expect(good.map(takes)).toEqual(good.map(() => [true, true]))
    const slots = [0, -1, 1.5, concurrency + 1, Number.NaN, '3', null].map((value) => ({ slots: value }))
    const texts = ['', 'v'.repeat(most + 1), 'a\nb', 'a\u0000', 'a\ud800', 7, null].map((value) => ({ version: value }))
    const bad = [...slots, ...texts, { surprise: 1 }, [], 'v1', null]
    expect(bad.map(takes)).toEqual(bad.map(() => [false, false]))
  })

  it('accept only the fields of the settle kind', () => {
    expect(settleInput.safeParse({ kind: 'release', ...LEASE, result: 1 }).success).toBe(false)
    expect(settleInput.safeParse({ kind: 'complete', ...LEASE, result: 1 }).success).toBe(true)
    expect(settleInput.safeParse({ kind: 'complete', ...LEASE, error: 'e' }).success).toBe(false)
    expect(settleInput.safeParse({ kind: 'fail', ...LEASE }).success).toBe(false)
    expect(settleInput.safeParse({ kind: 'cancel', ...LEASE }).success).toBe(false)
  })

  it('reject an id that is not a UUID', () => {
    for (const id of ['', '1', 'x'.repeat(36), `${ID}0`, null, 7]) expect(accepts('complete', { id })).toBe(false)
  })

  it('accept one paging method at a time, within the bound', () => {
    expect(accepts('list', { cursor: 'c', page: 1 })).toBe(false)
    expect(accepts('list', { page: 1, offset: 0 })).toBe(false)
    expect(accepts('list', { page: 201, limit: 50 })).toBe(true)
    expect(accepts('list', { page: 202, limit: 50 })).toBe(false)
  })

  it('accept payload paths of names joined by dots', () => {
    const path = (value: string): boolean => accepts('list', { payload: { path: value, equals: 1 } })
    expect(['a', 'user.id', 'items.0.sku', '$ref', 'größe', '__proto__'].filter((value) => !path(value))).toEqual([])
    expect(['', '.', 'a.', 'a..b', "a'b", 'a"b', 'a[0]', 'a b', 'a'.repeat(201)].filter(path)).toEqual([])
  })

  it('accept only terminal statuses for cleanup', () => {
    expect(accepts('cleanup', { status: ['completed', 'failed', 'cancelled'] })).toBe(true)
    expect(accepts('cleanup', { status: ['processing'] })).toBe(false)
    expect(accepts('cleanup', { status: [] })).toBe(false)
  })
})

it.each([
  ['', 'group: must not be empty'],
  ['x'.repeat(256), 'group: is 256 characters long; the limit is 255'],
  ['a\nb', 'group: must be printable characters only, without line breaks or control characters'],
])('reports one problem of the group key %j', (group, message) => {
  const parse = () => parseInput(enqueueInput, { type: 't', payload: null, group })
  expect(parse).toThrow(expect.objectContaining({ code: 'BAD_INPUT', message }))
})

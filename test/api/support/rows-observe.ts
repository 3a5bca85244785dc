/** Procedures that only read. */
import { expect } from 'vitest'
import { HOUR } from '../../../shared/limits.ts'
import { about, type Row } from './row.ts'
import { anyNumber, anyText, bulkRow, counts, MISSING, summary, type, type World } from './world.ts'

const heldJob = ({ held }: World) =>
  summary({
    id: held.id,
    type: 'print',
    status: 'processing',
    attempts: 1,
    version: 1,
    lockedBy: 'worker-1',
    leaseUntil: anyNumber,
    leaseMs: HOUR / 2,
    startedAt: held.startedAt,
  })

const failedJob = ({ failed }: World) =>
  summary({
    id: failed,
    type: 'call',
    status: 'failed',
    attempts: 1,
    version: 1,
    error: 'no route',
    startedAt: anyNumber,
    finishedAt: anyNumber,
  })

export const OBSERVE_ROWS: Readonly<Record<string, Row>> = {
  get: about(
    ({ held }) => held.id,
    (world) => ({ ...heldJob(world), payload: {}, result: null }),
  ),
  list: {
    kind: 'query',
    input: () => ({ status: ['processing', 'failed'], sort: 'oldest' }),
    answer: (world) => ({ jobs: [failedJob(world), heldJob(world)], nextCursor: null, total: 2 }),
    bad: [{ limit: 201 }, 'limit'],
  },
  stats: {
    kind: 'query',
    input: () => ({ type: 'call' }),
    answer: () => ({
      counts: counts({ failed: 1 }),
      byType: { call: counts({ failed: 1 }) },
      oldestReadyMs: null,
      oldestReady: null,
      oldestReadyMsByType: {},
      throughput: { windowMs: 900_000, enqueued: 1, completed: 0, failed: 1, dead: 1 },
      latency: {
        wait: { p50: anyNumber, p95: anyNumber, p99: anyNumber },
        run: { p50: anyNumber, p95: anyNumber, p99: anyNumber },
      },
      allTime: null,
    }),
    bad: [{ type: '' }, 'type'],
  },
  history: {
    kind: 'query',
    input: () => ({ minutes: 2, type: 'mail' }),
    answer: () => [
      {
        minute: anyNumber,
        type: 'mail',
        enqueued: 2,
        completed: 0,
        failed: 0,
        dead: 0,
        waits: Array(24).fill(0),
        runs: Array(24).fill(0),
      },
    ],
    bad: [{ minutes: 1_441 }, 'minutes'],
  },
  result: {
    kind: 'query',
    input: ({ failed, waiting }) => ({ ids: [failed, waiting, MISSING] }),
    answer: ({ failed, waiting }) => ({
      outcomes: [
        { id: failed, status: 'failed', error: 'no route' },
        { id: MISSING, status: 'missing' },
      ],
      notYet: [waiting],
    }),
    bad: [{ ids: [] }, 'ids'],
  },
  explain: about(
    ({ failed }) => failed,
    ({ failed }) => ({
      id: failed,
      type: anyText,
      status: 'failed',
      reason: 'failed',
      text: 'Its handler failed it for good, without a retry, on attempt 1 of 3: no route.',
      at: null,
      line: null,
      group: null,
      history: [anyText],
    }),
  ),
  attempts: about(
    ({ failed }) => failed,
    () => [
      {
        version: 1,
        worker: 'worker-1',
        startedAt: anyNumber,
        finishedAt: anyNumber,
        outcome: 'failed',
        statusAfter: 'failed',
        nextRunAt: null,
        error: 'no route',
        errorKey: 'no route',
        exitCode: null,
      },
    ],
  ),
  logs: about(
    ({ held }) => held.id,
    () => [{ id: anyNumber, version: 1, stream: 'stdout', at: anyNumber, line: 'page 1', number: 1 }],
  ),
  facts: {
    kind: 'query',
    answer: ({ server }) => ({
      dialect: server.place.dialect,
      version: anyText,
      location: server.place.location,
      durability: 'normal',
      sizeBytes: anyNumber,
      walBytes: anyNumber,
      isFull: false,
      isClockUnsure: false,
      hasNewerSchema: false,
      isStalled: false,
    }),
    bad: null,
  },
  export: { kind: 'query', streams: true, input: () => ({ type: 'print' }), bad: [{ status: ['lost'] }, 'status.0'] },
  events: {
    kind: 'subscription',
    streams: true,
    input: () => ({ lastEventId: null }),
    bad: [{ lastEventId: 7 }, 'lastEventId'],
  },
  'types.list': {
    kind: 'query',
    answer: () => [type({ name: 'call' }), type({ name: 'mail' }), type({ name: 'print' })],
    bad: null,
  },
  'types.get': {
    kind: 'query',
    input: () => ({ name: 'mail' }),
    answer: () => type({}),
    bad: [{ name: '' }, 'name'],
    missing: { name: 'fax' },
  },
  'workers.list': {
    kind: 'query',
    answer: () => [
      {
        name: 'worker-1',
        types: ['call', 'print'],
        startedAt: anyNumber,
        seenAt: anyNumber,
        drainRequestedAt: null,
        processing: 1,
        slots: null,
        version: null,
      },
    ],
    bad: null,
  },
  'settings.get': { kind: 'query', answer: () => ({}), bad: null },
  'failures.groups': {
    kind: 'query',
    input: () => ({ limit: 10 }),
    answer: ({ failed }) => [
      {
        type: 'call',
        errorKey: 'no route',
        lastHour: 1,
        lastDay: 1,
        lastWeek: 1,
        firstSeenAt: anyNumber,
        lastSeenAt: anyNumber,
        sampleId: failed,
        sampleError: 'no route',
        trend: [...Array(23).fill(0), 1],
      },
    ],
    bad: [{ limit: 501 }, 'limit'],
  },
  'groups.list': {
    kind: 'query',
    input: () => ({ search: 'print' }),
    answer: () => ({ groups: [], nextCursor: null }),
    bad: [{ limit: 0 }, 'limit'],
  },
  'groups.keys': {
    kind: 'query',
    input: () => ({ name: 'print', sort: 'oldest' }),
    answer: () => ({ keys: [], nextCursor: null }),
    bad: [{ name: 'print', sort: 'newest' }, 'sort'],
  },
  'groups.key': {
    kind: 'query',
    input: () => ({ name: 'print', key: 'one' }),
    answer: () => ({
      ...{ name: 'print', key: 'one', pending: 0, processing: 0, blocked: 0, oldestBlockedAt: null, nextAt: null },
      ...{ busyUntil: null, turn: null, stopped: null, override: {} },
      effective: {
        ...{ concurrency: null, rate: null, window: 4, order: 'fair', whenFull: 'wait', onDead: 'continue' },
        paused: false,
      },
    }),
    bad: [{ name: 'print', key: '' }, 'key'],
  },
  depths: {
    kind: 'query',
    input: () => ({ type: 'print', minutes: 5 }),
    // A minute may end during the test.
    answer: () => ({ minutes: expect.any(Array), types: expect.any(Object) }),
    bad: [{ minutes: 1_441 }, 'minutes'],
  },
  'bulk.count': {
    kind: 'query',
    input: () => ({ filter: { type: 'print', priority: 0 } }),
    answer: () => ({ count: 1, cursor: null }),
    bad: [{ filter: { priority: 'high' } }, 'filter.priority'],
  },
  'bulk.status': about(
    ({ bulk }) => bulk,
    ({ bulk }) => bulkRow({ id: bulk }),
  ),
  'audit.list': {
    kind: 'query',
    input: ({ bulk }) => ({ target: bulk }),
    answer: ({ bulk }) => [
      { id: anyNumber, at: anyNumber, actor: 'ada', action: 'bulk.remove', target: bulk, details: { type: 'fax' } },
    ],
    bad: [{ before: 0 }, 'before'],
  },
}

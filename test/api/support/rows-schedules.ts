/** Procedures of schedules. */
import { expect } from 'vitest'
import type { Row } from './row.ts'
import { anyNumber, anyText, bulkRow } from './world.ts'

const schedule = (differs: Readonly<Record<string, unknown>> = {}) => ({
  name: 'nightly',
  owner: null,
  declared: null,
  override: { type: 'mail', payload: {}, cron: '0 3 * * *' },
  effective: {
    ...{ type: 'mail', payload: {}, kind: 'job', cron: '0 3 * * *', every: null, offset: 0, timezone: 'UTC' },
    ...{ catchUp: 'one', catchUpWindowMs: 86_400_000, overlap: 'skip', spread: 0, startsAt: null, endsAt: null },
    ...{ maxRuns: null, except: [], pauseAfterFailures: null, priority: 0, maxAttempts: null, timeoutMs: null },
    ...{ backoff: null, expiresInMs: null },
  },
  text: 'Every day at 03:00, UTC',
  state: 'paused',
  nextTickAt: null,
  nextRunAt: null,
  lastTickAt: null,
  runs: 0,
  failures: 0,
  paused: { at: anyNumber, actor: 'ada', note: 'holidays' },
  orphanedAt: null,
  stopsAt: null,
  lastSuccessAt: null,
  lastFailureAt: null,
  revision: 2,
  createdAt: anyNumber,
  updatedAt: anyNumber,
  ...differs,
})

const AFTER = Date.UTC(2026, 0, 1, 12)
const NEXT = Date.UTC(2026, 0, 2, 3)
const NEW = { name: 'hourly', type: 'mail', payload: 1, every: '1h', startsAt: AFTER * 2 }

const named = (kind: Row['kind'], answer: Row['answer'], more: object = {}): Row => ({
  kind,
  input: (world) => ({ name: world.schedule, ...more }),
  ...(answer && { answer }),
  bad: [{ name: '', ...more }, 'name'],
  missing: { name: 'unknown', ...more },
})

const CHANGED = { type: 'mail', payload: {}, cron: '0 3 * * *', priority: 4 }
const active = { state: 'active', paused: null, nextTickAt: anyNumber, nextRunAt: anyNumber, revision: 3 }

export const SCHEDULE_ROWS: Readonly<Record<string, Row>> = {
  'schedules.list': {
    kind: 'query',
    input: () => ({ state: 'paused', search: 'night' }),
    answer: () => ({ schedules: [schedule()], nextCursor: null }),
    bad: [{ state: 'odd' }, 'state'],
  },
  'schedules.get': named('query', () => ({ ...schedule(), ticks: [], next: [] })),
  'schedules.preview': named(
    'query',
    () => ({ text: 'Every day at 03:00, UTC', ticks: [{ at: NEXT, dueAt: NEXT, note: null }] }),
    { after: AFTER, count: 1 },
  ),
  'schedules.explain': named('query', () => ({
    ...{ name: 'nightly', state: 'paused', reason: 'paused', text: anyText, at: null },
  })),
  'schedules.create': {
    kind: 'mutation',
    input: () => NEW,
    answer: () =>
      schedule({
        ...{
          name: 'hourly',
          override: { ...NEW, name: undefined, every: 3_600_000 },
          effective: expect.any(Object),
          revision: 1,
        },
        ...{ text: 'Every hour', ...active, paused: null },
        revision: 1,
      }),
    bad: [{ ...NEW, every: '1ms' }, 'every'],
  },
  'schedules.update': named(
    'mutation',
    () => schedule({ override: CHANGED, effective: expect.any(Object), revision: 3 }),
    {
      set: { priority: 4 },
    },
  ),
  'schedules.pause': named('mutation', () =>
    schedule({ paused: { at: anyNumber, actor: 'local', note: null }, revision: 3 }),
  ),
  'schedules.resume': named('mutation', () => schedule(active)),
  'schedules.run': named('mutation', () => ({ outcome: 'enqueued', jobId: anyText })),
  'schedules.delete': named('mutation', undefined),
  'schedules.backfill': named(
    'mutation',
    () =>
      bulkRow({
        ...{ action: 'backfill', filter: { type: 'mail' }, state: 'running', actor: 'local' },
        backfill: { schedule: 'nightly', from: 1, to: 2, again: false },
      }),
    { from: 1, to: 2 },
  ),
  'schedules.declare': {
    kind: 'mutation',
    input: () => ({ owner: 'app', schedules: [NEW] }),
    answer: () => ({ created: ['hourly'], changed: [], orphaned: [] }),
    bad: [{ owner: 'app', schedules: [{ ...NEW, cron: '0 3 * * *' }] }, 'schedules.0.cron'],
  },
}

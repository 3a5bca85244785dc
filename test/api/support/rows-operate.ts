/** Procedures of operators. */
import { expect } from 'vitest'
import { about, type Row } from './row.ts'
import { anyNumber, anyText, bulkRow, MISSING, type World } from './world.ts'

const act = (pick: (world: World) => string, status: string): Row =>
  about(pick, (world) => ({ id: pick(world), status, changed: true }), 'mutation')

const onType = (more: Readonly<Record<string, unknown>> = {}): Row => ({
  kind: 'mutation',
  input: () => ({ name: 'mail', ...more }),
  bad: [{ name: 'two\nlines', ...more }, 'name'],
  missing: { name: 'fax', ...more },
})

const NEW_TOKEN = { name: 'ci', scopes: ['produce'], typePrefix: 'mail', expiresInMs: 60_000 }

export const OPERATE_ROWS: Readonly<Record<string, Row>> = {
  'tokens.list': { kind: 'query', answer: () => [], bad: null },
  'tokens.create': {
    kind: 'mutation',
    input: () => NEW_TOKEN,
    answer: () => ({
      id: anyText,
      name: 'ci',
      scopes: ['produce'],
      typePrefix: 'mail',
      createdAt: anyNumber,
      lastUsedAt: null,
      expiresAt: anyNumber,
      token: expect.stringMatching(/^mr_[\w-]{43}$/),
    }),
    bad: [{ ...NEW_TOKEN, scopes: [] }, 'scopes'],
  },
  'tokens.revoke': {
    kind: 'mutation',
    input: ({ token }) => ({ id: token }),
    answer: () => ({ changed: false }),
    bad: [{ id: 'seven' }, 'id'],
    missing: { id: MISSING },
  },
  retry: act(({ failed }) => failed, 'pending'),
  runNow: act(({ late }) => late, 'pending'),
  cancel: act(({ waiting }) => waiting, 'cancelled'),
  remove: act(({ waiting }) => waiting, 'pending'),
  cleanup: {
    kind: 'mutation',
    input: () => ({ olderThanMs: 0, status: ['failed'] }),
    answer: () => ({ removed: 1 }),
    bad: [{ olderThanMs: 0, status: ['pending'] }, 'status.0'],
  },
  backup: {
    kind: 'mutation',
    elsewhere: true,
    input: () => ({ name: 'copy.db' }),
    bad: [{ name: '../copy.db' }, 'name'],
  },
  'types.declare': {
    kind: 'mutation',
    input: () => ({
      types: [
        { name: 'mail', settings: { maxAttempts: 7 } },
        { name: 'sms', kind: 'message' },
      ],
    }),
    bad: [{ types: [{ name: 'mail', settings: { maxAttempts: 0 } }] }, 'types.0.settings.maxAttempts'],
  },
  'types.update': { ...onType({ set: { rate: 5 } }), bad: [{ name: 'mail', set: { rate: 0 } }, 'set.rate'] },
  'types.pause': onType(),
  'types.resume': onType(),
  'workers.drain': {
    kind: 'mutation',
    input: () => ({ worker: 'worker-1' }),
    bad: [{ worker: 'worker-1', drain: 'yes' }, 'drain'],
    missing: { worker: 'unknown' },
  },
  'groups.update': {
    kind: 'mutation',
    input: () => ({ name: 'print', set: { concurrency: 2 } }),
    bad: [{ name: 'print', set: { concurrency: 0 } }, 'set.concurrency'],
  },
  'settings.update': {
    kind: 'mutation',
    input: () => ({ set: { maxAttempts: 5 } }),
    bad: [{ set: { maxAttempts: 0 } }, 'set.maxAttempts'],
  },
  'settings.pause': { kind: 'mutation', bad: null },
  'settings.resume': { kind: 'mutation', bad: null },
  'bulk.start': {
    kind: 'mutation',
    input: () => ({ action: 'cancel', filter: { type: 'fax' } }),
    answer: () => bulkRow({ action: 'cancel', state: 'running', actor: 'local' }),
    bad: [{ action: 'cancel', filter: { priority: 'high' } }, 'filter.priority'],
  },
  'bulk.cancel': about(
    ({ bulk }) => bulk,
    ({ bulk }) => bulkRow({ id: bulk, state: 'cancelled', finishedAt: anyNumber }),
    'mutation',
  ),
  'bulk.undo': about(
    ({ bulk }) => bulk,
    ({ bulk }) => bulkRow({ id: bulk, state: 'undone', finishedAt: anyNumber }),
    'mutation',
  ),
}

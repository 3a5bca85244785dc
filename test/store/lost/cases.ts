/** Every operation of the store, in a state in which it changes something. */
import type { OpKind, OpOf } from '../../../server/store/ops.ts'
import { WHEN_FULL } from '../../../shared/groups/choices.ts'
import { SECOND } from '../../../shared/limits.ts'
import {
  busy,
  claim,
  complete,
  enqueue,
  fail,
  heartbeat,
  jobAction,
  log,
  progress,
  promote,
  release,
  rescue,
  updateGroup,
} from '../conformance/fixtures.ts'
import type { Side } from './side.ts'

type Cases = { readonly [K in OpKind]: readonly ((side: Side) => Promise<OpOf<K>>)[] }

const actor = 'operator'

async function started(side: Side, type: string, action: OpOf<'bulkStart'>['action'], undoMs = 60 * SECOND) {
  const jobs = [await side.add({ type }), await side.add({ type })]
  const id = side.id()
  await side.run<'bulkStart'>({ kind: 'bulkStart', id, action, filter: { type }, undoMs, actor })
  const bulk = await side.store.bulk(id)
  if (!bulk) throw new Error('the bulk operation was not stored')
  return { id, jobs, from: bulk.cursor }
}

async function applied(side: Side, type: string) {
  const { id, jobs, from } = await started(side, type, 'cancel')
  await side.run<'bulkApply'>({ kind: 'bulkApply', id, from, jobs, cursor: null })
  return id
}

async function finished(side: Side, type: string): Promise<string> {
  const job = await side.held(type)
  await side.run<'complete'>(complete(job))
  return job.id
}

function newToken(side: Side, name: string): OpOf<'createToken'> {
  const id = side.id()
  const may = { scopes: ['work' as const], typePrefix: 'mail.', expiresInMs: 9_000 }
  return { kind: 'createToken', id, name, hash: `hash of ${name}`, ...may, actor }
}

function newSession(id: string): OpOf<'openSession'> {
  const details = { address: '::1' }
  return { kind: 'openSession', id, tokenId: 'a token', proof: null, idleMs: 60 * SECOND, actor, details }
}

export async function plainClaim(side: Side): Promise<OpOf<'claim'>> {
  for (let n = 0; n < 4; n++) await side.add({ type: 'claim' })
  return claim({ types: ['claim'], limit: 2 })
}

export async function claimByRequest(side: Side): Promise<OpOf<'claim'>> {
  for (let n = 0; n < 4; n++) await side.add({ type: 'asked' })
  return claim({ types: ['asked'], limit: 2, requestId: 'r-1' })
}

/** A key at concurrency 1 with a running job and two blocked ones. */
async function fullKey(side: Side, type: string, set: OpOf<'updateGroup'>['set'] = { concurrency: 1 }) {
  await side.run<'updateGroup'>(updateGroup({ name: type, set }))
  const jobs: string[] = []
  for (let n = 0; n < 3; n++) jobs.push(await side.add({ type, groupKey: 'key-1', whenFull: 'wait' }))
  const { jobs: leases } = await side.run<'claim'>(claim({ types: [type] }))
  const [lease] = leases
  if (!lease) throw new Error('nothing was claimed')
  return { lease, jobs }
}

/** The table is checked by the compiler: an operation without a row is an error. */
export const CASES: Cases = {
  complete: [
    async (side) => complete(await side.held('complete')),
    async (side) => complete((await fullKey(side, 'complete-key')).lease),
  ],
  fail: [
    async (side) => fail(await side.held('fail'), { retryInMs: 5_000 }),
    async (side) => fail(await side.held('dead'), { retry: false }),
    async (side) => fail((await fullKey(side, 'fail-key')).lease, { retryInMs: 0 }),
    async (side) =>
      fail((await fullKey(side, 'stop-key', { order: 'strict', onDead: 'stop' })).lease, { retry: false }),
  ],
  release: [
    async (side) => release(await side.held('release'), 1_000),
    async (side) => release((await fullKey(side, 'release-key')).lease),
    async (side) => busy((await fullKey(side, 'busy-key', { concurrency: 2 })).lease, 1_000),
  ],
  heartbeat: [async (side) => heartbeat([await side.held('heartbeat')], 90_000)],
  progress: [async (side) => progress(await side.held('progress'))],
  log: [async (side) => log(await side.held('log'), 'one', 'two')],
  jobAction: [
    async (side) => {
      const job = await side.held('retry')
      await side.run<'fail'>(fail(job, { retry: false }))
      return jobAction('retry', job.id, actor)
    },
    async (side) => jobAction('runNow', await side.add({ type: 'later', delayMs: 60_000 }), actor),
    async (side) => jobAction('cancel', await side.add({ type: 'cancel' }), actor),
    async (side) => jobAction('cancel', (await side.held('stop')).id, actor),
    async (side) => jobAction('remove', await side.add({ type: 'remove' }), actor),
    async (side) => {
      const { lease, jobs } = await fullKey(side, 'cancel-key')
      await side.run<'complete'>(complete(lease))
      return jobAction('cancel', jobs[1] ?? lease.id, actor)
    },
  ],
  cleanup: [
    async (side) => {
      await finished(side, 'cleanup')
      await finished(side, 'cleanup')
      return { kind: 'cleanup', status: ['completed'], olderThanMs: 0, type: 'cleanup', limit: 1 }
    },
  ],
  declareTypes: [
    async () => ({ kind: 'declareTypes', types: [{ name: 'declared', kind: 'job', declared: { maxAttempts: 7 } }] }),
  ],
  overrideType: [
    async (side) => {
      await side.add({ type: 'override' })
      return { kind: 'overrideType', name: 'override', set: { maxConcurrency: 3 }, clear: [], actor }
    },
  ],
  putSettings: [async () => ({ kind: 'putSettings', set: { maxAttempts: 9 }, clear: [], actor })],
  seeWorker: [
    async () => ({ kind: 'seeWorker', worker: 'new-worker', types: ['a', 'b'], about: { slots: 2, version: 'v1' } }),
  ],
  drainWorker: [
    async (side) => {
      await side.run<'seeWorker'>({ kind: 'seeWorker', worker: 'tired', types: null })
      return { kind: 'drainWorker', worker: 'tired', drain: true, actor }
    },
  ],
  updateGroup: [
    async () => ({
      kind: 'updateGroup',
      name: 'tenants',
      key: 'key-1',
      set: { concurrency: 2 },
      clear: [],
      resume: false,
      actor,
    }),
    async (side) => {
      const { lease } = await fullKey(side, 'pause-key')
      await side.run<'complete'>(complete(lease))
      return updateGroup({ name: 'pause-key', key: 'key-1', set: { paused: true } })
    },
  ],
  audit: [async () => ({ kind: 'audit', actor, action: 'noted', target: 'x', details: { n: 1 } })],
  bulkStart: [
    async (side) => ({
      kind: 'bulkStart',
      id: side.id(),
      action: 'retry',
      filter: { type: 'x' },
      undoMs: 9_000,
      actor,
    }),
  ],
  bulkApply: [
    async (side) => {
      const { id, jobs, from } = await started(side, 'apply', 'cancel')
      return { kind: 'bulkApply', id, from, jobs, cursor: null }
    },
  ],
  bulkCancel: [async (side) => ({ kind: 'bulkCancel', id: (await started(side, 'halt', 'cancel')).id, actor })],
  bulkUndo: [async (side) => ({ kind: 'bulkUndo', id: await applied(side, 'undo'), actor })],
  bulkRevert: [
    async (side) => {
      const id = await applied(side, 'revert')
      await side.run<'bulkUndo'>({ kind: 'bulkUndo', id, actor })
      return { kind: 'bulkRevert', id, limit: 1 }
    },
  ],
  schedule: [
    async () => newSchedule('lost'),
    async (side) => {
      await side.run<'schedule'>(newSchedule('ticking'))
      const tick = { schedule: 'ticking', at: 5, previous: null, missed: 0, backfill: false }
      const job = side.job({ type: 'ticking', tick })
      const due = { at: 5, dueAt: 5, origin: 'tick', outcome: 'enqueued', missed: 0, note: null, job } as const
      const expect = { revision: 1, nextTickAt: 5 }
      return { ...newSchedule('ticking'), expect, set: { nextTickAt: 9 }, dueAt: 5, ticks: [due], entry: null }
    },
  ],
  backfillStart: [async (side) => newBackfill(side, 'begun')],
  backfillApply: [
    async (side) => {
      const op = newBackfill(side, 'filled')
      await side.run<'backfillStart'>(op)
      const tick = { schedule: 'filled', at: 5, previous: null, missed: 0, backfill: true }
      const job = side.job({ type: 'filled', tick })
      const past = { at: 5, dueAt: 5, origin: 'backfill', outcome: 'enqueued', missed: 0, note: null, job } as const
      return { kind: 'backfillApply', id: op.id, from: 0, cursor: null, ticks: [past] }
    },
  ],
  createToken: [async (side) => newToken(side, 'created')],
  revokeToken: [
    async (side) => {
      const op = newToken(side, 'revoked')
      await side.run<'createToken'>(op)
      return { kind: 'revokeToken', id: op.id, actor }
    },
  ],
  useTokens: [
    async (side) => {
      const op = newToken(side, 'used')
      await side.run<'createToken'>(op)
      return { kind: 'useTokens', ids: [op.id] }
    },
  ],
  openSession: [async () => newSession('opened')],
  seeSession: [
    async (side) => {
      await side.run<'openSession'>(newSession('seen'))
      await side.clock.advance(SECOND)
      return { kind: 'seeSession', id: 'seen' }
    },
  ],
  closeSession: [
    async (side) => {
      await side.run<'openSession'>(newSession('closed'))
      return { kind: 'closeSession', id: 'closed', actor }
    },
  ],
  lead: [async () => ({ kind: 'lead', holder: 'me', ttlMs: 6_000, takeOver: false })],
  resign: [
    async (side) => {
      await side.run<'lead'>({ kind: 'lead', holder: 'me', ttlMs: 6_000, takeOver: true })
      return { kind: 'resign', holder: 'me' }
    },
  ],
  recordDepths: [async () => ({ kind: 'recordDepths', minute: 7, depths: [{ type: 'mail', ready: 2, backlog: 3 }] })],
  trim: [
    async (side) => {
      await side.run<'seeWorker'>({ kind: 'seeWorker', worker: 'long-gone', types: null })
      await side.clock.advance(2 * SECOND)
      const ages = {
        minutesOlderThanMs: 9e9,
        depthsOlderThanMs: 9e9,
        workersOlderThanMs: 2 * SECOND - 1,
        auditOlderThanMs: 9e9,
      }
      return { kind: 'trim', ...ages, limit: 100 }
    },
  ],
  enqueue: [
    async (side) => enqueue(side.job({ type: 'plain' }), side.job({ type: 'other', delayMs: 500 })),
    async (side) => enqueue(side.job({ type: 'keyed', dedupeKey: 'k' })),
    async (side) => {
      await side.add({ type: 'keyed', dedupeKey: 'taken' })
      return enqueue(side.job({ type: 'keyed', dedupeKey: 'taken' }))
    },
    ...WHEN_FULL.map((whenFull) => async (side: Side) => {
      const type = `full-${whenFull}`
      await fullKey(side, type)
      return enqueue(side.job({ type, groupKey: 'key-1', whenFull }))
    }),
  ],
  admitBlocked: [
    async (side) => {
      await fullKey(side, 'admit-key')
      await side.run<'updateGroup'>(updateGroup({ name: 'admit-key', set: { concurrency: 2 } }))
      return { kind: 'admitBlocked', limit: 1_000 }
    },
  ],
  promote: [
    async (side) => {
      await side.add({ type: 'due', delayMs: 100 })
      await side.clock.advance(100)
      return promote
    },
    async (side) => {
      await fullKey(side, 'rate-key', { rate: { limit: 10, perMs: 1_000 } })
      await side.clock.advance(100)
      return promote
    },
  ],
  rescue: [
    async (side) => {
      await side.held('rescue')
      await side.clock.advance(31 * SECOND)
      return rescue
    },
  ],
  renewLeases: [
    async (side) => {
      await side.held('renew')
      await side.clock.advance(SECOND)
      return { kind: 'renewLeases' }
    },
  ],
  claim: [
    plainClaim,
    async (side) => {
      for (let n = 0; n < 6; n++) await side.add({ type: 'claim-key', groupKey: 'key-1' })
      return claim({ types: ['claim-key'], limit: 3 })
    },
    async (side) => {
      for (let n = 0; n < 4; n++) await side.add({ type: 'settle' })
      return claim({ types: ['settle'], limit: 2, settle: true })
    },
    claimByRequest,
  ],
}

function newSchedule(name: string): OpOf<'schedule'> {
  return {
    kind: 'schedule',
    name,
    expect: null,
    set: { type: name, nextTickAt: 5, nextRunAt: 5 },
    dueAt: null,
    maxRuns: null,
    ticks: [],
    entry: { actor, action: 'schedules.create', details: {} },
  }
}

function newBackfill(side: Side, schedule: string): OpOf<'backfillStart'> {
  const range = { schedule, from: 1, to: 9, again: false }
  return { kind: 'backfillStart', id: side.id(), type: schedule, range, undoMs: 9_000, actor }
}

/** Tokens with a type prefix: full access inside the prefix, FORBIDDEN outside. */
import { TRPCError } from '@trpc/server'
import { expect, it } from 'vitest'
import type { Caller } from '../../server/api/caller.ts'
import { appRouter } from '../../server/api/router.ts'
import { QueueError } from '../../shared/errors.ts'
import { SCOPES } from '../../shared/scopes.ts'
import { describeApi, MISSING, picture, type World } from '../api/support/world.ts'
import { until } from '../support/engine.ts'
import { call } from '../support/server.ts'
import { PROCEDURE_SCOPES } from './matrix.ts'

type Input = (world: World) => unknown

/** `inside` concerns the type `mail`, `outside` other types or the whole queue; null: never allowed with a prefix. */
type Row = { readonly inside: Input; readonly outside: readonly Input[] } | null

const JOB = { payload: 1 }
const byId = (more: object = {}): Row => ({
  inside: ({ waiting }) => ({ id: waiting, ...more }),
  outside: [({ held }) => ({ id: held.id, ...more }), ({ failed }) => ({ id: failed, ...more })],
})
const byType = (key = 'type', more: object = {}): Row => ({
  inside: () => ({ [key]: 'mail', ...more }),
  outside: [() => ({ [key]: 'print', ...more }), () => ({ [key]: 'mai', ...more })],
})
const filtered = (more: object = {}): Row => {
  const row = byType('type', more)
  return row && { ...row, outside: [...row.outside, () => more, () => undefined] }
}
/** A filter by ids alone names no type, so it is rejected even for jobs inside the prefix. */
const named = (row: Row): Row =>
  row && {
    ...row,
    outside: [...row.outside, ({ failed }) => ({ ids: [failed] }), ({ waiting }) => ({ ids: [waiting] })],
  }
const SCHEDULE = { name: 'hourly', payload: 1, every: '1h' }
const bySchedule = (more: object = {}): Row => ({
  inside: () => ({ name: 'nightly', ...more }),
  outside: [() => ({ name: 'printing', ...more })],
})
const lease = { version: 1 }
const settle = (id: string) => ({ kind: 'release', id, version: 1 })

const ROWS: Readonly<Record<string, Row>> = {
  enqueue: byType('type', JOB),
  enqueueMany: {
    inside: () => ({ jobs: [{ type: 'mail.a', ...JOB }] }),
    outside: [
      () => ({
        jobs: [
          { type: 'mail', ...JOB },
          { type: 'print', ...JOB },
        ],
      }),
      () => ({ jobs: [] }),
    ],
  },
  claim: {
    inside: () => ({ worker: 'w', types: ['mail'] }),
    outside: [
      () => ({ worker: 'w' }),
      () => ({ worker: 'w', kind: 'job' }),
      () => ({ worker: 'w', types: ['mail', 'call'] }),
      () => ({ worker: 'w', types: [] }),
    ],
  },
  exchange: {
    inside: ({ waiting }) => ({ worker: 'w', settle: [settle(waiting)], claim: { types: ['mail'] } }),
    outside: [
      ({ held }) => ({ worker: 'w', settle: [settle(held.id)] }),
      ({ held }) => ({ worker: 'w', settle: [settle(held.id)], claim: { types: ['mail'] } }),
      ({ waiting }) => ({ worker: 'w', settle: [settle(waiting)], claim: {} }),
      () => ({ worker: 'w', claim: { types: ['call'] } }),
    ],
  },
  cancellations: {
    inside: ({ waiting }) => ({ worker: 'w', leases: [{ id: waiting, ...lease }] }),
    outside: [({ held }) => ({ worker: 'w', leases: [{ id: held.id, ...lease }] })],
  },
  heartbeat: {
    inside: ({ waiting }) => ({ worker: 'w', leases: [{ id: waiting, ...lease }] }),
    outside: [
      ({ waiting, held }) => ({
        worker: 'w',
        leases: [
          { id: waiting, ...lease },
          { id: held.id, ...lease },
        ],
      }),
    ],
  },
  complete: byId(lease),
  fail: byId({ ...lease, error: 'no' }),
  release: byId(lease),
  progress: byId({ ...lease, progress: 1 }),
  log: byId({ ...lease, lines: [{ line: 'x' }] }),
  holders: {
    inside: ({ waiting }) => ({ ids: [waiting] }),
    outside: [({ waiting, failed }) => ({ ids: [waiting, failed] }), () => ({ seqs: [1] })],
  },
  get: byId(),
  explain: byId(),
  attempts: byId(),
  logs: byId(),
  result: {
    inside: ({ waiting }) => ({ ids: [waiting, MISSING] }),
    outside: [({ waiting, failed }) => ({ ids: [waiting, failed] })],
  },
  list: named(filtered({ limit: 5 })),
  export: named(filtered()),
  stats: filtered(),
  history: filtered(),
  depths: filtered(),
  'failures.groups': filtered(),
  'schedules.list': filtered(),
  'schedules.get': bySchedule(),
  'schedules.preview': { inside: () => ({ settings: { every: '1h' } }), outside: [() => ({ name: 'printing' })] },
  'schedules.explain': bySchedule(),
  'schedules.create': {
    inside: () => ({ ...SCHEDULE, type: 'mail.new' }),
    outside: [() => ({ ...SCHEDULE, type: 'print' })],
  },
  'schedules.update': {
    inside: () => ({ name: 'nightly', set: { priority: 1 } }),
    outside: [() => ({ name: 'printing', set: {} }), () => ({ name: 'nightly', set: { type: 'print' } })],
  },
  'schedules.pause': bySchedule(),
  'schedules.resume': bySchedule(),
  'schedules.run': bySchedule(),
  'schedules.delete': bySchedule(),
  'schedules.backfill': bySchedule({ from: 1, to: 2 }),
  'schedules.declare': {
    inside: () => ({ owner: 'other', schedules: [{ ...SCHEDULE, type: 'mail' }] }),
    // The last two would orphan or replace a schedule of another type.
    outside: [
      () => ({ owner: 'other', schedules: [{ ...SCHEDULE, type: 'print' }] }),
      () => ({ owner: 'printers', schedules: [{ ...SCHEDULE, type: 'mail' }] }),
      () => ({ owner: 'other', schedules: [{ ...SCHEDULE, name: 'printing', type: 'mail' }] }),
    ],
  },
  'types.get': byType('name'),
  facts: { inside: () => undefined, outside: [] },
  'settings.get': { inside: () => undefined, outside: [] },
  retry: byId(),
  runNow: byId(),
  cancel: byId(),
  remove: byId(),
  cleanup: filtered({ olderThanMs: 1_000 }),
  'types.declare': {
    inside: () => ({ types: [{ name: 'mail' }] }),
    outside: [
      () => ({ types: [{ name: 'mail' }, { name: 'fax' }] }),
      () => ({ types: [] }),
      () => ({ types: [{ name: 'mail', settings: { group: { name: 'print' } } }] }),
    ],
  },
  'types.update': {
    inside: () => ({ name: 'mail', set: { group: { name: 'mail.shared' } } }),
    outside: [() => ({ name: 'print', set: {} }), () => ({ name: 'mail', set: { group: { name: 'print' } } })],
  },
  'types.pause': byType('name'),
  'groups.keys': byType('name'),
  'groups.key': byType('name', { key: 'one' }),
  'groups.update': byType('name', { set: { concurrency: 3 } }),
  'types.resume': byType('name'),
  'bulk.start': {
    inside: ({ waiting, failed }) => ({ action: 'retry', filter: { type: 'mail', ids: [waiting, failed] } }),
    outside: [
      () => ({ action: 'remove', filter: { type: 'call' } }),
      () => ({ action: 'remove', filter: {} }),
      ({ failed }) => ({ action: 'remove', filter: { ids: [failed] } }),
      ({ waiting }) => ({ action: 'remove', filter: { ids: [waiting] } }),
      ({ failed }) => ({ action: 'remove', filter: { ids: [failed], type: 'call' } }),
    ],
  },
  'bulk.count': {
    inside: () => ({ filter: { type: 'mail' } }),
    outside: [() => ({ filter: { type: 'call' } }), () => ({ filter: {} })],
  },
  'bulk.status': { inside: () => ({ id: MISSING }), outside: [({ bulk }) => ({ id: bulk })] },
  'bulk.cancel': { inside: () => ({ id: MISSING }), outside: [({ bulk }) => ({ id: bulk })] },
  'bulk.undo': { inside: () => ({ id: MISSING }), outside: [({ bulk }) => ({ id: bulk })] },
  events: null,
  backup: null,
  'types.list': null,
  'workers.list': null,
  'workers.drain': null,
  'settings.update': null,
  'groups.list': null,
  'settings.pause': null,
  'settings.resume': null,
  'audit.list': null,
  'tokens.list': null,
  'tokens.create': null,
  'tokens.revoke': null,
}

/** FORBIDDEN with its details, or `passes` for any other result. */
async function attempt({ server: { engine, frames } }: World, name: string, input: unknown): Promise<unknown> {
  const caller: Caller = { actor: 'mailer', scopes: new Set(SCOPES), typePrefix: 'mail', mayRunCommands: true }
  const context = { engine, frames, caller, isAlone: true, mayWait: false, report: () => {}, tally: { rows: 0 } }
  // The caller is nested by namespace, and each level is a proxy.
  const procedure = name
    .split('.')
    .reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], appRouter.createCaller(context))
  try {
    await (procedure as (given: unknown) => Promise<unknown>)(input)
    return 'passes'
  } catch (error) {
    if (!(error instanceof TRPCError) || !(error.cause instanceof QueueError)) throw error
    const { code, details } = error.cause
    return code === 'FORBIDDEN' ? [code, details] : 'passes'
  }
}

const FORBIDDEN = ['FORBIDDEN', { typePrefix: 'mail' }]

describeApi('a token with a type prefix', ({ openWorld, openServer }) => {
  it('has a row for every procedure', () => {
    // The operations of `batch` are checked one by one: test/api/operations.test.ts.
    expect([...Object.keys(ROWS), 'batch'].toSorted()).toEqual(Object.keys(PROCEDURE_SCOPES).toSorted())
  })

  it('is rejected outside its prefix by every procedure, and changes nothing', async () => {
    const world = await openWorld()
    const before = await picture(world.server)
    const passed: string[] = []
    for (const [name, row] of Object.entries(ROWS)) {
      for (const [n, input] of (row?.outside ?? [() => undefined]).entries()) {
        const outcome = await attempt(world, name, input(world))
        if (JSON.stringify(outcome) !== JSON.stringify(FORBIDDEN)) passed.push(`${name} ${n}: ${outcome}`)
      }
    }
    expect(passed).toEqual([])
    expect(await picture(world.server)).toEqual(before)
  })

  it('has access inside its prefix to every procedure with a row', async () => {
    const world = await openWorld()
    const refused: string[] = []
    for (const [name, row] of Object.entries(ROWS)) {
      const outcome = row ? await attempt(world, name, row.inside(world)) : 'passes'
      if (outcome !== 'passes') refused.push(`${name}: ${JSON.stringify(outcome)}`)
    }
    expect(refused).toEqual([])
  })

  it('neither reads nor changes other jobs by naming their ids beside a type inside its prefix', async () => {
    const { server, waiting, failed } = await openWorld()
    const { token } = await server.engine.createToken({ scopes: [...SCOPES], typePrefix: 'mail' })
    const headers = { authorization: `Bearer ${token}` }
    const filter = { type: 'mail', ids: [waiting, failed] }
    const { body } = await call(server, 'list', 'query', filter, headers)
    expect(body).toMatchObject({ result: { data: { total: 1, jobs: [{ id: waiting }] } } })
    const started = await call(server, 'bulk.start', 'mutation', { action: 'remove', filter, undoMs: 0 }, headers)
    expect(started.status).toBe(200)
    await until(async () => (await server.engine.list({ ids: [waiting] })).total === 0)
    expect((await server.engine.get({ id: failed })).status).toBe('failed')
  })

  it('gets no jobs of another caller by repeating its requestId', async () => {
    const { server } = await openWorld()
    await server.engine.enqueue({ type: 'secret', payload: 'x' })
    const request = { worker: 'w', requestId: 'r-1' }
    await server.engine.claim({ ...request, types: ['secret'] })
    const { token } = await server.engine.createToken({ scopes: ['work'], typePrefix: 'mail' })
    const headers = { authorization: `Bearer ${token}` }
    const claim = { ...request, types: ['mail'] }
    const direct = await call(server, 'claim', 'mutation', claim, headers)
    const { worker, ...rest } = claim
    const exchanged = await call(server, 'exchange', 'mutation', { worker, claim: rest }, headers)
    expect([direct.status, exchanged.status]).toEqual([403, 403])
  })

  it('applies over HTTP, in batches and in the REST adapters, with an error that names the prefix', async () => {
    const server = await openServer()
    const { engine } = server
    await engine.enqueueMany({ jobs: ['mail.a', 'print'].map((type) => ({ type, payload: 1 })) })
    const { token } = await engine.createToken({ scopes: [...SCOPES], typePrefix: 'mail.' })
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const refused = await call(server, 'list', 'query', {}, headers)
    expect(refused).toMatchObject({
      status: 403,
      body: {
        error: {
          message: expect.stringMatching(/restricted to types that begin with mail\.; name such types in list/),
        },
      },
    })
    const input = encodeURIComponent(JSON.stringify({ 0: { type: 'mail.a' }, 1: { type: 'print' } }))
    const batch = await fetch(`${server.url}/trpc/list,list?batch=1&input=${input}`, { headers })
    expect(batch.status).toBe(207)
    expect(await batch.json()).toMatchObject([{ result: {} }, { error: { data: { queueCode: 'FORBIDDEN' } } }])
    const rest = async (path: string, init: RequestInit = {}) =>
      (await fetch(`${server.url}${path}`, { ...init, headers })).status
    const post = (body: object) => ({ method: 'POST', body: JSON.stringify(body) })
    expect([
      await rest('/api/queue'),
      await rest('/api/queue?type=print'),
      await rest('/api/queue?type=mail.a'),
      await rest('/api/queue', post({ type: 'print', data: 1 })),
      await rest('/api/queue', post({ type: 'mail.b', data: 1 })),
      await rest('/api/tasks'),
      await rest('/metrics'),
      await rest('/trpc/events'),
    ]).toEqual([403, 403, 200, 403, 201, 403, 403, 403])
    expect((await engine.stats()).byType).toMatchObject({ print: { pending: 1 }, 'mail.b': { pending: 1 } })
  })
})

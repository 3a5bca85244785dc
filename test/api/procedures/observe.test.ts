/** Reading over HTTP: pages, filters, logs, trails and bulk operations. */
import { expect, it } from 'vitest'
import type { ListPage } from '../../../shared/records.ts'
import { add, addMany, held, ids, until } from '../../support/engine.ts'
import { ok, refused, refusedWith } from '../support/responses.ts'
import { bulkRow, counts, describeApi, MISSING, summary } from '../support/world.ts'

describeApi('list', ({ openServer }) => {
  it('list returns every job once, page by page', async () => {
    const server = await openServer()
    const all = await addMany(server.engine, 7)
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const page = await ok<ListPage>(server, 'list', { limit: 3, sort: 'oldest', ...(cursor && { cursor }) })
      expect(page.total).toBe(7)
      seen.push(...ids(page.jobs))
      cursor = page.nextCursor ?? undefined
    } while (cursor)
    expect(seen).toEqual(all)
    expect(ids((await ok<ListPage>(server, 'list', { limit: 3, page: 3 })).jobs)).toEqual(all.slice(0, 1))
    expect(ids((await ok<ListPage>(server, 'list', { limit: 3, offset: 5 })).jobs)).toEqual(all.slice(0, 2).reverse())
  })

  it('list returns payloads only when requested', async () => {
    const server = await openServer()
    const id = await add(server.engine, { payload: { to: 'ada' } })
    expect(await ok(server, 'list')).toEqual({ jobs: [summary({ id })], nextCursor: null, total: 1 })
    expect(await ok(server, 'list', { payloads: true })).toEqual({
      jobs: [{ ...summary({ id }), payload: { to: 'ada' }, result: null }],
      nextCursor: null,
      total: 1,
    })
  })

  it.each([
    [{ type: 'fax' }],
    [{ priority: 5 }],
    [{ payload: { path: 'to.name', equals: 'Bob' } }],
    [{ search: 'BOB' }],
    [{ from: 1, to: 253_402_300_799_999, priority: 5 }],
  ])('list finds one job by %j', async (filter) => {
    const server = await openServer()
    await add(server.engine, { payload: { to: { name: 'Ada' } } })
    const id = await add(server.engine, { type: 'fax', priority: 5, payload: { to: { name: 'Bob' } } })
    expect(ids((await ok<ListPage>(server, 'list', filter)).jobs)).toEqual([id])
  })

  it('list finds jobs by ids and by failure group', async () => {
    const server = await openServer()
    const [first, second] = await addMany(server.engine, 3)
    const { id, version } = await held(server.engine, { type: 'fax' })
    await server.engine.fail({ id, version, error: 'line 7 is dead', retry: false })
    const named = { ids: [first, MISSING, id, second] }
    expect(ids((await ok<ListPage>(server, 'list', named)).jobs)).toEqual([id, second, first])
    expect(await ok(server, 'list', { ...named, type: 'mail' })).toMatchObject({ total: 2, nextCursor: null })
    expect(ids((await ok<ListPage>(server, 'list', { errorKey: 'line <n> is dead' })).jobs)).toEqual([id])
    const exported = []
    for await (const job of server.engine.export({ ids: [first ?? '', id] })) exported.push(job.id)
    expect(exported).toEqual([id, first])
  })

  it.each([
    [{ cursor: 'x' }, /cursor/],
    [{ page: 2, offset: 3 }, /^cursor: use only one of/],
    [{ page: 300, limit: 200 }, /^page: is beyond the first/],
    [{ payload: { path: 'a b', equals: 1 } }, /^payload\.path: /],
    [{ payload: { path: 'a', equals: {} } }, /^payload\.equals: /],
    [{ search: 'a\0b' }, /^search: contains a NUL/],
    [{ status: ['lost'] }, /^status\.0: /],
    [{ ids: [] }, /^ids: /],
    [{ ids: ['seven'] }, /^ids\.0: /],
    [{ errorKey: 'x'.repeat(201) }, /^errorKey: /],
  ])('list refuses %j', async (input, message) => {
    const server = await openServer()
    const refusal = await refused(server, 'list', input)
    expect(refusal).toMatchObject({ status: 400, code: 'BAD_INPUT', message: expect.stringMatching(message) })
  })
})

describeApi('stats and history', ({ openWorld }) => {
  it('stats and history include every type without a filter', async () => {
    const { server } = await openWorld()
    const { counts: all, byType } = await ok<{ counts: object; byType: object }>(server, 'stats')
    expect(all).toEqual(counts({ pending: 1, scheduled: 1, processing: 1, failed: 1 }))
    expect(byType).toEqual({
      call: counts({ failed: 1 }),
      mail: counts({ pending: 1, scheduled: 1 }),
      print: counts({ processing: 1 }),
    })
    const minutes = await ok<{ type: string }[]>(server, 'history')
    expect([...new Set(minutes.map(({ type }) => type))].sort()).toEqual(['call', 'mail', 'print'])
  })
})

describeApi('logs and the audit trail', ({ openServer }) => {
  it('logs returns the lines after a given line', async () => {
    const server = await openServer()
    const { id, version } = await held(server.engine)
    await ok(server, 'log', { id, version, lines: ['one', 'two', 'three'].map((line) => ({ line })) })
    const [first] = await ok<{ id: number; line: string }[]>(server, 'logs', { id, limit: 1 })
    expect(first?.line).toBe('one')
    expect(await ok(server, 'logs', { id, after: first?.id })).toMatchObject([{ line: 'two' }, { line: 'three' }])
  })

  it('audit.list returns the entries before a given entry', async () => {
    const server = await openServer()
    for (const name of ['settings.pause', 'settings.resume']) await ok(server, name)
    const [newest, oldest] = await ok<{ id: number; details: object }[]>(server, 'audit.list')
    expect([newest?.details, oldest?.details]).toEqual([
      { set: { paused: false }, clear: [] },
      { set: { paused: true }, clear: [] },
    ])
    expect(await ok(server, 'audit.list', { before: newest?.id, limit: 1 })).toEqual([oldest])
  })
})

describeApi('bulk operations', ({ openServer, openWorld }) => {
  it('a bulk operation changes all matching jobs and can be undone', async () => {
    const server = await openServer()
    const jobs = await addMany(server.engine, 5)
    await add(server.engine, { type: 'fax' })
    const input = { action: 'cancel', filter: { type: 'mail' }, undoMs: 60_000 }
    const { id } = await ok<{ id: string }>(server, 'bulk.start', input)
    const row = { id, action: 'cancel', filter: { type: 'mail' }, actor: 'local', matched: 5, changed: 5 }
    const stateOf = async () => (await server.engine.bulk({ id })).state
    await until(async () => (await stateOf()) === 'done')
    const done = bulkRow({ ...row, state: 'done', finishedAt: expect.any(Number) })
    expect(await ok(server, 'bulk.status', { id })).toEqual(done)
    expect(await server.engine.counts()).toEqual(counts({ pending: 1, cancelled: 5 }))
    await ok(server, 'bulk.undo', { id })
    await until(async () => (await stateOf()) === 'undone')
    expect(await ok(server, 'bulk.status', { id })).toMatchObject({ state: 'undone', undone: 5 })
    expect(await server.engine.counts()).toEqual(counts({ pending: 6 }))
    expect(await ok(server, 'get', { id: jobs[0] })).toMatchObject({ status: 'pending' })
  })

  it('a bulk operation that was cancelled before its start cannot be undone', async () => {
    const { server, bulk: id } = await openWorld()
    await ok(server, 'bulk.cancel', { id })
    const refusal = await refused(server, 'bulk.undo', { id })
    expect(refusal).toMatchObject({ status: 409, code: 'WRONG_STATE', details: { id, state: 'cancelled' } })
  })

  it('bulk verbs refuse the id of a job, and get refuses the id of a bulk operation', async () => {
    const { server, waiting, bulk } = await openWorld()
    for (const name of ['bulk.status', 'bulk.cancel', 'bulk.undo']) {
      expect(await refusedWith(server, name, { id: waiting })).toEqual([404, 'NOT_FOUND'])
    }
    expect(await refusedWith(server, 'get', { id: bulk })).toEqual([404, 'NOT_FOUND'])
  })
})

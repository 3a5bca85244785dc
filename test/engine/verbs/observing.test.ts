/** Reading jobs through the engine: get, list, export, and clear errors for invalid input. */
import { expect, it } from 'vitest'
import { ERRORS } from '../../../shared/errors.ts'
import { limits, MINUTE } from '../../../shared/limits.ts'
import { add, addMany, describeEngine, held, ids, refused } from '../../support/engine.ts'

const MISSING = '018f6f0e-0000-7000-8000-00000000dead'

describeEngine('observing', (open) => {
  it('get returns a job with its payload, attempts, logs and result', async () => {
    const { engine, clock } = await open()
    const job = await held(engine, { payload: { to: 'ada' }, priority: 4, maxAttempts: 5, dedupeKey: 'k-1' })
    const claim = { id: job.id, version: job.version }
    await engine.progress({ ...claim, progress: 40 })
    await engine.log({ ...claim, lines: [{ line: 'connecting' }, { line: 'refused', stream: 'stderr' }] })
    await clock.advance(1_500)
    expect(await engine.get({ id: job.id })).toMatchObject({ status: 'processing', progress: 40, lockedBy: 'worker-1' })
    await engine.complete({ ...claim, result: { messageId: 7 } })
    expect(await engine.get({ id: job.id })).toMatchObject({
      status: 'completed',
      payload: { to: 'ada' },
      result: { messageId: 7 },
      priority: 4,
      maxAttempts: 5,
      dedupeKey: 'k-1',
      attempts: 1,
      finishedAt: clock.now(),
      lockedBy: 'worker-1',
    })
    const [attempt] = await engine.attempts({ id: job.id })
    expect(attempt).toMatchObject({ version: 1, worker: 'worker-1', outcome: 'completed', statusAfter: 'completed' })
    const lines = await engine.logs({ id: job.id })
    expect(lines.map(({ stream, line }) => [stream, line])).toEqual([
      ['log', 'connecting'],
      ['stderr', 'refused'],
    ])
    expect(await engine.logs({ id: job.id, after: lines[0]?.id ?? 0 })).toEqual(lines.slice(1))
    expect(await engine.logs({ id: job.id, limit: 1 })).toHaveLength(1)
    expect((await refused(engine.logs({ id: job.id, limit: 0 }))).code).toBe('BAD_INPUT')
  })

  it('get refuses an unknown id and a malformed id', async () => {
    const { engine } = await open()
    for (const ask of [engine.get, engine.explain, engine.attempts, engine.logs]) {
      const missing = await refused(ask({ id: MISSING }))
      expect([missing.code, ERRORS[missing.code].http, missing.details.id]).toEqual(['NOT_FOUND', 404, MISSING])
      const malformed = await refused(ask({ id: 'seven' }))
      expect([malformed.code, ERRORS[malformed.code].http]).toEqual(['BAD_INPUT', 400])
    }
  })

  it('list filters jobs and returns them page by page', async () => {
    const { engine } = await open()
    const mails = await addMany(engine, 5)
    const call = await add(engine, { type: 'call', priority: 9, payload: { to: { name: 'Lovis' } } })
    expect(await engine.list({ type: 'mail', limit: 2 })).toMatchObject({ total: 5 })
    expect(ids((await engine.list({ priority: 9 })).jobs)).toEqual([call])
    expect(ids((await engine.list({ payload: { path: 'to.name', equals: 'Lovis' } })).jobs)).toEqual([call])
    expect(ids((await engine.list({ search: 'lovis' })).jobs)).toEqual([call])
    expect(ids((await engine.list({ sort: 'claim', limit: 2 })).jobs)).toEqual([call, mails[0]])
    expect(ids((await engine.list({ type: 'mail', sort: 'oldest', page: 2, limit: 2 })).jobs)).toEqual(
      mails.slice(2, 4),
    )
    const seen: string[] = []
    let cursor: string | null = null
    do {
      const page = await engine.list({ type: 'mail', limit: 2, ...(cursor === null ? {} : { cursor }) })
      seen.push(...ids(page.jobs))
      cursor = page.nextCursor
    } while (cursor !== null)
    expect(seen).toEqual(mails.toReversed())
  })

  it.each([
    ['status', { status: ['sleeping'] }],
    ['limit', { limit: 0 }],
    ['limit', { limit: limits.list + 1 }],
    ['offset', { offset: limits.offset + 1 }],
    ['page', { page: 1_000, limit: 200 }],
    ['cursor', { cursor: 'x', page: 2 }],
    ['sort', { sort: 'random' }],
    ['from', { from: -1 }],
    ['payload.path', { payload: { path: "a'] or 1=1", equals: 1 } }],
    ['search', { search: 'a\u0000b' }],
    ['colour', { colour: 'red' }],
    ['type', { type: 7 }],
  ])('names %s in the error for an invalid list request', async (field, input) => {
    const { engine } = await open()
    const refusal = await refused(engine.list(input as never))
    expect([refusal.code, refusal.message]).toEqual(['BAD_INPUT', expect.stringContaining(field)])
  })

  it('list refuses a cursor of another list', async () => {
    const { engine } = await open()
    await addMany(engine, 3)
    const { nextCursor } = await engine.list({ limit: 1 })
    const ask = (cursor: string) => refused(engine.list({ sort: 'claim', cursor }))
    expect((await ask(nextCursor ?? '')).code).toBe('BAD_INPUT')
    expect((await ask('garbage')).message).toContain('cursor')
  })

  it('export returns every job exactly once, with payloads, while jobs run', async () => {
    const { engine } = await open()
    const added: string[] = []
    for (let n = 0; n < 5; n++) added.push(...(await addMany(engine, 130)))
    const seen: { id: string; payload?: unknown }[] = []
    for await (const job of engine.export()) {
      seen.push(job)
      if (seen.length % 100 === 0) {
        await add(engine)
        await engine.claim({ worker: 'worker-1', settle: true })
      }
    }
    expect(ids(seen)).toEqual(added.toReversed())
    expect(seen[0]?.payload).toEqual({ n: 129 })
    const some: string[] = []
    for await (const job of engine.export({ status: ['completed'] })) some.push(job.id)
    expect(some).toHaveLength(6)
    const nothing = engine.export({ limit: 5 } as never)[Symbol.asyncIterator]()
    expect((await refused(nothing.next())).code).toBe('BAD_INPUT')
  })

  it('failure groups join errors with similar messages', async () => {
    const { engine, clock } = await open()
    for (const error of ['no route to 10.0.0.1', 'no route to 10.0.0.27', 'quota exceeded']) {
      await clock.advance(MINUTE)
      const job = await held(engine, { maxAttempts: 2 })
      await engine.fail({ id: job.id, version: job.version, error, retry: false })
    }
    const call = await held(engine, { type: 'call' })
    await engine.fail({ id: call.id, version: call.version, error: 'no route to 10.0.0.5' })
    const groups = await engine.failureGroups()
    expect(groups.map((one) => [one.type, one.errorKey, one.lastHour, one.lastDay, one.lastWeek])).toEqual([
      ['mail', 'no route to <n>', 2, 2, 2],
      ['call', 'no route to <n>', 1, 1, 1],
      ['mail', 'quota exceeded', 1, 1, 1],
    ])
    expect(groups[0]).toMatchObject({
      firstSeenAt: clock.now() - 2 * MINUTE,
      lastSeenAt: clock.now() - MINUTE,
      sampleError: 'no route to 10.0.0.27',
    })
    expect(groups[0]?.trend).toEqual([...Array(23).fill(0), 2])
    expect(await engine.failureGroups({ type: 'call' })).toHaveLength(1)
    expect(await engine.failureGroups({ limit: 1 })).toHaveLength(1)
  })

  it('all reads are refused once the engine is closed', async () => {
    const { engine, clock } = await open()
    const id = await add(engine)
    await engine.close()
    const reads = [engine.get({ id }), engine.list(), engine.stats(), engine.result({ ids: [id], waitMs: 5_000 })]
    const codes = await Promise.all(reads.map((read) => refused(read).catch((error) => error)))
    expect(clock.pendingTimers).toBe(0)
    expect(codes.map((error) => error.code)).toEqual(['CLOSED', 'CLOSED', 'CLOSED', 'CLOSED'])
  })
})

/** Workers over HTTP: repeated settles succeed, stale claims are refused, and a bad settle in an exchange fails alone. */
import { expect, it } from 'vitest'
import { add, held } from '../../support/engine.ts'
import { expectNoInsides, ok, refused } from '../support/responses.ts'
import { anyNumber, claimed, describeApi, MISSING } from '../support/world.ts'

describeApi('settling', ({ openServer, openWorld }) => {
  it('complete stores the result, and reports a repeated call', async () => {
    const { server, held: job } = await openWorld()
    const { id, version } = job
    const outcome = { id, version, status: 'completed', runAt: null }
    const input = { id, version, result: { pages: 3 } }
    expect(await ok(server, 'complete', input)).toEqual({ ...outcome, repeated: false })
    expect(await ok(server, 'complete', input)).toEqual({ ...outcome, repeated: true })
    const after = { status: 'completed', result: { pages: 3 }, lockedBy: 'worker-1', leaseUntil: null }
    expect(await ok(server, 'get', { id })).toMatchObject(after)
    expect(await refused(server, 'fail', { id, version, error: 'late' })).toMatchObject({ code: 'STALE_CLAIM' })
  })

  it('fail retries the job after its delay and keeps the error', async () => {
    const { server, held: job } = await openWorld()
    const { id, version } = job
    const input = { id, version, error: 'no paper', retryInMs: 60_000, exitCode: 3 }
    const outcome = { id, version, status: 'retrying', runAt: anyNumber, repeated: false }
    expect(await ok(server, 'fail', input)).toEqual(outcome)
    expect(await ok(server, 'fail', input)).toEqual({ ...outcome, repeated: true })
    const attempt = { outcome: 'failed', statusAfter: 'retrying', error: 'no paper', exitCode: 3, worker: 'worker-1' }
    expect(await ok(server, 'attempts', { id })).toMatchObject([attempt])
  })

  it('fail with retry: false fails the job permanently', async () => {
    const { server, held: job } = await openWorld()
    const { id, version } = job
    const outcome = await ok(server, 'fail', { id, version, error: 'no such printer', retry: false })
    expect(outcome).toEqual({ id, version, status: 'failed', runAt: null, repeated: false })
    expect(await ok(server, 'get', { id })).toMatchObject({ status: 'failed', error: 'no such printer' })
  })

  it('release does not count the attempt, and accepts a delay', async () => {
    const { server, held: job } = await openWorld()
    const { id, version } = job
    const outcome = { id, version, status: 'scheduled', runAt: anyNumber, repeated: false }
    expect(await ok(server, 'release', { id, version, delayMs: 60_000 })).toEqual(outcome)
    expect(await ok(server, 'get', { id })).toMatchObject({ status: 'scheduled', attempts: 0, version, lockedBy: null })
  })

  it('complete refuses a result that is too large, and the job stays claimed', async () => {
    const server = await openServer({ MAX_PAYLOAD_BYTES: '100' })
    const { id, version } = await held(server.engine)
    const refusal = await refused(server, 'complete', { id, version, result: 'x'.repeat(99) })
    expect(refusal).toMatchObject({ status: 413, code: 'TOO_LARGE', details: { bytes: 101, maxBytes: 100 } })
    expect(await ok(server, 'get', { id })).toMatchObject({ status: 'processing', result: null })
    expect(await ok(server, 'complete', { id, version, result: 'x'.repeat(98) })).toMatchObject({ status: 'completed' })
  })

  it('errors and log lines are stored with a mark for unstorable characters', async () => {
    const { server, held: job } = await openWorld()
    const { id, version } = job
    await ok(server, 'log', { id, version, lines: [{ line: 'nul \0', stream: 'stderr' }, { line: 'half \ud83d' }] })
    await ok(server, 'fail', { id, version, error: 'bad \ud800 byte', retry: false })
    const lines = await ok<{ stream: string; line: string }[]>(server, 'logs', { id })
    expect(lines.map(({ stream, line }) => [stream, line])).toEqual([
      ['stdout', 'page 1'],
      ['stderr', 'nul \ufffd'],
      ['log', 'half \ufffd'],
    ])
    expect(await ok(server, 'get', { id })).toMatchObject({ error: 'bad \ufffd byte' })
  })
})

describeApi('heartbeat and progress', ({ openWorld }) => {
  it('heartbeat extends the lease of a cancelled job, and reports the cancellation and a drain', async () => {
    const { server, held: job } = await openWorld()
    const { id, version, startedAt } = job
    await ok(server, 'cancel', { id })
    await ok(server, 'workers.drain', { worker: 'worker-1' })
    const beat = { worker: 'worker-1', leases: [{ id, version }], leaseMs: 86_400_000 }
    expect(await ok(server, 'heartbeat', beat)).toEqual({ extended: [], lost: [], cancelled: [id], draining: true })
    const { leaseUntil } = await server.engine.get({ id })
    expect((leaseUntil ?? 0) - startedAt).toBeGreaterThanOrEqual(86_400_000)
  })

  it('heartbeat reports a stale claim as lost and does not change the lease', async () => {
    const { server, held: job } = await openWorld()
    const leases = [{ id: job.id, version: job.version + 1 }]
    const beat = { worker: 'worker-1', leases, leaseMs: 86_400_000 }
    expect(await ok(server, 'heartbeat', beat)).toEqual({
      extended: [],
      lost: [job.id],
      cancelled: [],
      draining: false,
    })
    expect(await server.engine.get({ id: job.id })).toMatchObject({ leaseMs: 1_800_000 })
  })

  it('progress is stored with the job', async () => {
    const { server, held: job } = await openWorld()
    expect(await ok(server, 'progress', { id: job.id, version: job.version, progress: 62.5 })).toBeUndefined()
    expect(await ok(server, 'get', { id: job.id })).toMatchObject({ progress: 62.5 })
  })
})

describeApi('exchange', ({ openServer, openWorld }) => {
  it('exchange returns the outcome of each settle as data', async () => {
    const server = await openServer({ MAX_PAYLOAD_BYTES: '100' })
    const [first, second, third] = [await held(server.engine), await held(server.engine), await held(server.engine)]
    const next = await add(server.engine, { type: 'fax' })
    const settle = [
      { kind: 'complete', id: first.id, version: first.version, result: 'sent' },
      { kind: 'complete', id: second.id, version: second.version + 1 },
      { kind: 'fail', id: MISSING, version: 4, error: 'no route' },
      { kind: 'complete', id: second.id, version: second.version, result: 'x'.repeat(200) },
      { kind: 'release', id: third.id, version: third.version },
    ]
    const claim = { types: ['fax'] }
    const answer = await ok<object>(server, 'exchange', { worker: 'worker-1', settle, claim })
    const value = { repeated: false, version: 1 }
    expect(answer).toEqual({
      settled: [
        { ok: true, value: { ...value, id: first.id, status: 'completed', runAt: null } },
        {
          ok: false,
          error: {
            code: 'STALE_CLAIM',
            message: expect.stringContaining(`Claim 2 of job ${second.id}`),
            details: { id: second.id, version: 2 },
          },
        },
        {
          ok: false,
          error: { code: 'NOT_FOUND', message: expect.stringContaining(MISSING), details: { id: MISSING } },
        },
        {
          ok: false,
          error: {
            code: 'TOO_LARGE',
            message: expect.stringMatching(/^result is 202/),
            details: { bytes: 202, maxBytes: 100 },
          },
        },
        { ok: true, value: { ...value, id: third.id, status: 'pending', runAt: third.runAt } },
      ],
      jobs: [claimed({ id: next, type: 'fax' })],
      timing: { elapsedMs: expect.any(Number), now: expect.any(Number) },
    })
    expectNoInsides(JSON.stringify(answer))
    expect(await server.engine.get({ id: second.id })).toMatchObject({ status: 'processing', version: 1 })
  })

  it('exchange settles nothing when one settle is malformed', async () => {
    const { server, held: job } = await openWorld()
    const settle = [
      { kind: 'complete', id: job.id, version: job.version },
      { kind: 'finish', id: job.id, version: job.version },
    ]
    const refusal = await refused(server, 'exchange', { worker: 'worker-1', settle })
    expect([refusal.status, refusal.message]).toEqual([400, expect.stringMatching(/^settle\.1\.kind: /)])
    expect(await server.engine.get({ id: job.id })).toMatchObject({ status: 'processing' })
  })

  it('exchange without a claim returns no jobs', async () => {
    const { server, waiting } = await openWorld()
    expect(await ok(server, 'exchange', { worker: 'worker-1' })).toEqual({ settled: [], jobs: [] })
    expect(await server.engine.get({ id: waiting })).toMatchObject({ status: 'pending' })
  })
})

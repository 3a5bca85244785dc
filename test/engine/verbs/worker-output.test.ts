/** Output of workers never prevents a settlement: unstorable characters are replaced, long texts are cut. */
import { expect, it } from 'vitest'
import { limits } from '../../../shared/limits.ts'
import { add, describeEngine, held, refused, take } from '../../support/engine.ts'

const LONE = '\ud83d'

describeEngine('worker output', (open) => {
  it('settles a job whose error cannot be stored as it is', async () => {
    const { engine } = await open()
    const job = await held(engine)
    const settled = await engine.fail({ id: job.id, version: job.version, error: `a\u0000b${LONE}`, retry: false })
    expect(settled.status).toBe('failed')
    expect((await engine.get({ id: job.id })).error).toBe('a\ufffdb\ufffd')
    expect((await engine.attempts({ id: job.id }))[0]?.error).toBe('a\ufffdb\ufffd')
  })

  it('settles a job whose result cannot be stored as it is', async () => {
    const { engine } = await open()
    const job = await held(engine)
    const result = { 'k\u0000': ['fine', `x${LONE}`], when: new Date(0), deep: { text: '\u0000' } }
    await engine.complete({ id: job.id, version: job.version, result })
    expect((await engine.get({ id: job.id })).result).toEqual({
      'k\ufffd': ['fine', 'x\ufffd'],
      when: '1970-01-01T00:00:00.000Z',
      deep: { text: '\ufffd' },
    })
  })

  it('keeps a log line that cannot be stored as it is, and cuts a long one', async () => {
    const { engine } = await open()
    const { id, version } = await held(engine)
    const long = 'y'.repeat(limits.logLineLength + 10)
    await engine.log({ id, version, lines: [{ line: 'a\u0000b' }, { line: long }] })
    const [first, second] = await engine.logs({ id })
    expect([first?.line, second?.line.length, second?.line.at(-1)]).toEqual(['a\ufffdb', limits.logLineLength, '…'])
  })

  it('cuts a long error, the attempt keeping more of it than the job', async () => {
    const { engine } = await open()
    const { id, version } = await held(engine)
    await engine.fail({ id, version, error: 'z'.repeat(100_000), retry: false })
    const [attempt] = await engine.attempts({ id })
    expect((await engine.get({ id })).error).toHaveLength(limits.jobErrorLength)
    expect(attempt?.error).toHaveLength(limits.attemptErrorLength)
  })

  it('keeps the last lines of an attempt with too many, and their numbers show what is missing', async () => {
    const { engine } = await open()
    const { id, version } = await held(engine)
    for (let n = 0; n < 12; n++) {
      const lines = Array.from({ length: 100 }, (_, m) => ({ line: `${n * 100 + m}` }))
      await engine.log({ id, version, lines })
    }
    const kept = await engine.logs({ id, limit: 1_000 })
    expect([kept.length, kept[0]?.line, kept.at(-1)?.line]).toEqual([limits.logLinesPerAttempt, '200', '1199'])
    expect(kept.map(({ number }) => number)).toEqual(kept.map(({ line }) => Number(line) + 1))
  })

  it('refuses a result too large or too deep, so that the worker can send another outcome', async () => {
    const { engine } = await open({ maxPayloadBytes: 1_000 })
    const { id, version } = await held(engine)
    expect((await refused(engine.complete({ id, version, result: 'x'.repeat(999) }))).code).toBe('TOO_LARGE')
    let deep: unknown = 1
    for (let n = 0; n < 65; n++) deep = [deep]
    expect((await refused(engine.complete({ id, version, result: deep }))).code).toBe('BAD_INPUT')
    expect((await engine.fail({ id, version, error: 'result too large', retry: false })).status).toBe('failed')
  })

  it('settles the others of an exchange when one of its results is refused', async () => {
    const { engine } = await open({ maxPayloadBytes: 1_000 })
    const [first, second] = [await held(engine), await held(engine)]
    const next = await add(engine)
    const { settled, jobs } = await engine.exchange({
      worker: 'worker-1',
      settle: [
        { kind: 'complete', id: first.id, version: first.version, result: 'x'.repeat(2_000) },
        { kind: 'complete', id: second.id, version: second.version, result: 'fine' },
      ],
      claim: {},
    })
    expect(settled.map((one) => (one.ok ? one.value.status : one.error.code))).toEqual(['TOO_LARGE', 'completed'])
    expect(jobs.map(({ id }) => id)).toEqual([next])
  })

  it('returns the recorded outcome to a repeated settlement, and refuses a different one', async () => {
    const { engine } = await open()
    const { id, version } = await held(engine)
    const first = await engine.complete({ id, version, result: 1 })
    expect(await engine.complete({ id, version, result: 2 })).toEqual({ ...first, repeated: true })
    expect((await engine.get({ id })).result).toBe(1)
    expect((await refused(engine.fail({ id, version, error: 'late' }))).code).toBe('STALE_CLAIM')
  })

  it('changes nothing for a claim that is no longer current, on any verb', async () => {
    const { engine } = await open()
    const old = await held(engine)
    await engine.release({ id: old.id, version: old.version })
    const now = await take(engine, { worker: 'worker-2' })
    const before = await engine.get({ id: now.id })
    const { id, version } = old
    const calls = [
      engine.complete({ id, version }),
      engine.fail({ id, version, error: 'x' }),
      engine.progress({ id, version, progress: 1 }),
      engine.log({ id, version, lines: [{ line: 'x' }] }),
    ]
    expect((await Promise.all(calls.map(refused))).map(({ code }) => code)).toEqual(Array(4).fill('STALE_CLAIM'))
    expect((await engine.heartbeat({ worker: 'worker-1', leases: [{ id, version }] })).lost).toEqual([id])
    expect(await engine.release({ id, version })).toMatchObject({ repeated: true })
    expect(await engine.get({ id })).toEqual(before)
  })
})

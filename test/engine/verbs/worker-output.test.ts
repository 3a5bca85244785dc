/** Output of workers never prevents a settlement: unstorable characters are replaced, long texts are cut. */
import { expect, it } from 'vitest'
import { limits } from '../../../shared/limits.ts'
import { add, describeEngine, held, refused, take } from '../../support/engine.ts'

const LONE = '\ud83d'

describeEngine('worker output', (open) => {
  it('a job with an unstorable error is settled with a sanitised one', async () => {
    const { engine } = await open()
    const job = await held(engine)
    const settled = await engine.fail({ id: job.id, version: job.version, error: `a\u0000b${LONE}`, retry: false })
    expect(settled.status).toBe('failed')
    expect((await engine.get({ id: job.id })).error).toBe('a\ufffdb\ufffd')
    expect((await engine.attempts({ id: job.id }))[0]?.error).toBe('a\ufffdb\ufffd')
  })

  it('a job with an unstorable result is settled with a sanitised one', async () => {
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

  it('an unstorable log line is sanitised and a long one is cut', async () => {
    const { engine } = await open()
    const { id, version } = await held(engine)
    const long = 'y'.repeat(limits.logLineLength + 10)
    await engine.log({ id, version, lines: [{ line: 'a\u0000b' }, { line: long }] })
    const [first, second] = await engine.logs({ id })
    expect([first?.line, second?.line.length, second?.line.at(-1)]).toEqual(['a\ufffdb', limits.logLineLength, '…'])
  })

  it('a long error is cut, longer with the attempt than with the job', async () => {
    const { engine } = await open()
    const { id, version } = await held(engine)
    await engine.fail({ id, version, error: 'z'.repeat(100_000), retry: false })
    const [attempt] = await engine.attempts({ id })
    expect((await engine.get({ id })).error).toHaveLength(limits.jobErrorLength)
    expect(attempt?.error).toHaveLength(limits.attemptErrorLength)
  })

  it('an attempt with too many log lines keeps the last ones, and their numbers show the gap', async () => {
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

  it('a result that is too large or too deep is refused, and the job can still be settled', async () => {
    const { engine } = await open({ maxPayloadBytes: 1_000 })
    const { id, version } = await held(engine)
    expect((await refused(engine.complete({ id, version, result: 'x'.repeat(999) }))).code).toBe('TOO_LARGE')
    let deep: unknown = 1
    for (let n = 0; n < 65; n++) deep = [deep]
    expect((await refused(engine.complete({ id, version, result: deep }))).code).toBe('BAD_INPUT')
    expect((await engine.fail({ id, version, error: 'result too large', retry: false })).status).toBe('failed')
  })

  it('an exchange settles the other jobs when one result is refused', async () => {
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

  it('a repeated settle returns the recorded outcome, and a different one is refused', async () => {
    const { engine } = await open()
    const { id, version } = await held(engine)
    const first = await engine.complete({ id, version, result: 1 })
    expect(await engine.complete({ id, version, result: 2 })).toEqual({ ...first, repeated: true })
    expect((await engine.get({ id })).result).toBe(1)
    expect((await refused(engine.fail({ id, version, error: 'late' }))).code).toBe('STALE_CLAIM')
  })

  it('no verb changes anything for a stale claim', async () => {
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

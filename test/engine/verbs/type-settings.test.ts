/** Settings of types and of the queue: declared by code, overridden by operators, resolved when used. */
import { expect, it } from 'vitest'
import { DAY, HOUR, MINUTE } from '../../../shared/limits.ts'
import { DEFAULTS } from '../../../shared/settings/settings.ts'
import { add, describeEngine, held, refused, take } from '../../support/engine.ts'

describeEngine('settings', (open) => {
  it('an override takes precedence over the declared setting, and that over the queue', async () => {
    const { engine } = await open()
    await engine.updateSettings({ set: { maxAttempts: 7, retentionMs: DAY, crashBudget: 2 } })
    await engine.declareTypes({
      types: [
        { name: 'mail', settings: { maxAttempts: 4, retentionMs: HOUR, maxConcurrency: 9, rate: 2.5 } },
        { name: 'letters', kind: 'message' },
      ],
    })
    await engine.updateType({ name: 'mail', set: { maxAttempts: 2, maxConcurrency: null } })
    const mail = await engine.type({ name: 'mail' })
    expect(mail.declared).toEqual({ maxAttempts: 4, retentionMs: HOUR, maxConcurrency: 9, rate: 2.5 })
    expect(mail.override).toEqual({ maxAttempts: 2, maxConcurrency: null })
    expect(mail.effective).toMatchObject({
      maxAttempts: 2,
      retentionMs: HOUR,
      maxConcurrency: null,
      rate: 2.5,
      burst: 3,
      crashBudget: 2,
      paused: false,
    })
    expect((await engine.type({ name: 'letters' })).effective).toMatchObject({ maxAttempts: 7, retentionMs: DAY })
    expect((await engine.types()).map(({ name, kind }) => [name, kind])).toEqual([
      ['letters', 'message'],
      ['mail', 'job'],
    ])
  })

  it('a cleared override falls back to the layer below', async () => {
    const { engine } = await open()
    await engine.declareTypes({ types: [{ name: 'mail', settings: { maxAttempts: 4 } }] })
    await engine.updateType({ name: 'mail', set: { maxAttempts: 2, timeoutMs: 5_000 } })
    await engine.updateType({ name: 'mail', clear: ['maxAttempts', 'timeoutMs'] })
    expect(await engine.type({ name: 'mail' })).toMatchObject({
      override: {},
      effective: { maxAttempts: 4, timeoutMs: null, leaseMs: DEFAULTS.leaseMs },
    })
    await engine.updateSettings({ set: { maxAttempts: 9, paused: true } })
    await engine.updateSettings({ clear: ['maxAttempts'] })
    expect(await engine.settings()).toEqual({ paused: true })
  })

  it('declaring types again keeps their overrides', async () => {
    const { engine, another } = await open()
    await engine.declareTypes({ types: [{ name: 'mail', settings: { maxAttempts: 4 } }] })
    await engine.updateType({ name: 'mail', set: { maxAttempts: 2 } })
    const { engine: deployed } = await another()
    await deployed.declareTypes({ types: [{ name: 'mail', settings: { maxAttempts: 6, crashBudget: 5 } }] })
    expect((await engine.type({ name: 'mail' })).effective).toMatchObject({ maxAttempts: 2, crashBudget: 5 })
  })

  it('settings are resolved when they are used', async () => {
    const { engine, clock } = await open()
    const job = await held(engine)
    await engine.updateType({
      name: 'mail',
      set: { maxAttempts: 2, backoff: { kind: 'fixed', baseMs: 90_000, jitter: 0 }, timeoutMs: 20_000 },
    })
    const settled = await engine.fail({ id: job.id, version: job.version, error: 'no route' })
    expect(settled).toMatchObject({ status: 'retrying', runAt: clock.now() + 90_000 })
    await engine.runNow({ id: job.id })
    const again = await take(engine)
    expect([again.maxAttempts, again.leaseUntil - clock.now()]).toEqual([2, 20_000])
    const last = await engine.fail({ id: job.id, version: again.version, error: 'no route' })
    expect(last.status).toBe('failed')
  })

  it('the backoff comes from the job, else the type, else the queue, else the default', async () => {
    const { engine, clock } = await open()
    const wait = async (input = {}) => {
      const job = await held(engine, input)
      const { runAt } = await engine.fail({ id: job.id, version: job.version, error: 'no route' })
      return (runAt ?? 0) - clock.now()
    }
    const fixed = (baseMs: number) => ({ kind: 'fixed', baseMs, jitter: 0 }) as const
    const waits = [await wait()]
    await engine.updateSettings({ set: { backoff: fixed(1_000) } })
    waits.push(await wait())
    await engine.updateType({ name: 'mail', set: { backoff: fixed(2_000) } })
    waits.push(await wait(), await wait({ backoff: fixed(3_000) }))
    expect(waits).toEqual([10_000, 1_000, 2_000, 3_000])
  })

  it('settings that are unknown or out of bounds are refused and change nothing', async () => {
    const { engine } = await open()
    await add(engine)
    const bad = [
      engine.updateType({ name: 'mail', set: { maxAttempts: 0 } }),
      engine.updateType({ name: 'mail', set: { rate: Number.POSITIVE_INFINITY } }),
      engine.updateType({ name: 'mail', set: { colour: 'red' } as never }),
      engine.updateType({ name: 'mail', clear: ['colour'] as never }),
      engine.updateSettings({ set: { leaseMs: 1 } }),
      engine.declareTypes({ types: [{ name: 'mail', settings: { burst: 0.5 } }] }),
      engine.declareTypes({ types: [{ name: 'a\nb' }] }),
    ]
    expect(new Set((await Promise.all(bad.map(refused))).map(({ code }) => code))).toEqual(new Set(['BAD_INPUT']))
    expect((await refused(engine.updateType({ name: 'fax', set: {} }))).code).toBe('NOT_FOUND')
    expect((await refused(engine.type({ name: 'fax' }))).code).toBe('NOT_FOUND')
    expect((await refused(engine.declareTypes({ types: [{ name: 'mail', kind: 'command' }] }))).code).toBe(
      'WRONG_STATE',
    )
    expect(await engine.type({ name: 'mail' })).toMatchObject({ declared: {}, override: {}, kind: 'job' })
    expect([await engine.settings(), await engine.auditTrail()]).toEqual([{}, []])
  })

  it('an undefined setting counts as absent', async () => {
    const { engine } = await open()
    await engine.updateSettings({ set: { maxAttempts: 5 } })
    await engine.updateSettings({ set: { maxAttempts: undefined, retentionMs: MINUTE } })
    expect(await engine.settings()).toEqual({ maxAttempts: 5, retentionMs: MINUTE })
    await engine.declareTypes({ types: [{ name: 'mail' }] })
    await engine.updateType({ name: 'mail', set: { maxAttempts: 2 } })
    await engine.updateType({ name: 'mail', set: { maxAttempts: undefined, crashBudget: 8 } })
    expect((await engine.type({ name: 'mail' })).override).toEqual({ maxAttempts: 2, crashBudget: 8 })
  })

  it('a change of settings emits an event', async () => {
    const { engine } = await open()
    const kinds: string[] = []
    await engine.claim({ worker: 'worker-1' })
    engine.events.subscribe(({ event }) => kinds.push(event.kind))
    await engine.declareTypes({ types: [{ name: 'mail' }] })
    await engine.pauseType({ name: 'mail' })
    await engine.pause()
    await engine.drainWorker({ worker: 'worker-1' })
    expect(kinds).toEqual(['types', 'types', 'settings', 'workers'])
  })
})

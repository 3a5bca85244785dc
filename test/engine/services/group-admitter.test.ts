/** Admission of blocked jobs after rules of groups changed: at once, in steps, and not again without a change. */
import { expect, it } from 'vitest'
import type { Engine } from '../../../server/engine/engine.ts'
import { ADMIT_CHUNK } from '../../../server/engine/services/group-admitter.ts'
import { MINUTE } from '../../../shared/limits.ts'
import { describeEngine, started } from '../../support/engine.ts'
import { settle } from '../../support/test-clock.ts'

const ACTOR = 'operator'

const declare = (engine: Engine, group: { concurrency: number } | null) =>
  engine.declareTypes({ actor: ACTOR, types: [{ name: 'mail', kind: 'job', settings: { group } }] })

async function enqueueKeys(engine: Engine, keys: number, ofEach: number): Promise<void> {
  for (let n = 0; n < ofEach; n++) {
    const jobs = Array.from({ length: keys }, (_, key) => ({ type: 'mail', payload: n, group: `key-${key}` }))
    await engine.enqueueMany({ jobs })
  }
}

describeEngine('GroupAdmitter', (open) => {
  it('a raised limit admits jobs of more keys than one step looks at', async () => {
    const { engine, store } = await started(open())
    await declare(engine, { concurrency: 1 })
    const keys = ADMIT_CHUNK + 7
    await enqueueKeys(engine, keys, 2)
    expect(await engine.counts()).toMatchObject({ pending: keys, blocked: keys })
    store.reset()
    await engine.updateGroup({ actor: ACTOR, name: 'mail', set: { concurrency: 2 } })
    while (store.count('admitBlocked') < 2) await settle()
    expect(await engine.counts()).toMatchObject({ pending: 2 * keys, blocked: 0 })
  })

  it('the first step is part of the commit that changes the rules', async () => {
    const { engine, store } = await started(open())
    await declare(engine, { concurrency: 1 })
    await enqueueKeys(engine, 3, 2)
    store.reset()
    await engine.updateGroup({ actor: ACTOR, name: 'mail', set: { concurrency: 2 } })
    const commit = store.committed.find((ops) => ops.some(({ kind }) => kind === 'updateGroup'))
    expect(commit?.map(({ kind }) => kind)).toEqual(['updateGroup', 'admitBlocked'])
    expect((await engine.counts()).blocked).toBe(0)
  })

  it('a paused group has no pending jobs, and a resumed one has them again', async () => {
    const { engine } = await started(open())
    await enqueueKeys(engine, 3, 2)
    await engine.updateGroup({ actor: ACTOR, name: 'mail', set: { paused: true } })
    expect(await engine.counts()).toMatchObject({ pending: 0, blocked: 6 })
    await engine.updateGroup({ actor: ACTOR, name: 'mail', clear: ['paused'] })
    expect(await engine.counts()).toMatchObject({ pending: 6, blocked: 0 })
  })

  it('a declaration without changes looks at no keys', async () => {
    const { engine, store } = await started(open())
    await declare(engine, { concurrency: 1 })
    await settle()
    store.reset()
    await declare(engine, { concurrency: 1 })
    await settle()
    expect(store.count('admitBlocked')).toBe(0)
    await enqueueKeys(engine, 1, 2)
    await declare(engine, null)
    await settle()
    expect(await engine.counts()).toMatchObject({ pending: 2, blocked: 0 })
  })

  it('maintenance admits what another process has left', async () => {
    const { engine, store, clock } = await started(open())
    await declare(engine, { concurrency: 1 })
    await enqueueKeys(engine, 2, 2)
    // The rules change, and the process ends before its first step.
    await store.commit([{ kind: 'declareTypes', types: [{ name: 'mail', kind: 'job', declared: {} }] }])
    expect((await engine.counts()).blocked).toBe(2)
    await clock.advance(2 * MINUTE)
    expect(await engine.counts()).toMatchObject({ pending: 4, blocked: 0 })
  })
})

/** Number limits: the last valid value, the first invalid one and the claim order, on both stores. */
import { describe, expect, it, vi } from 'vitest'
import { limits } from '../../../shared/limits.ts'
import { sameOnBoth, type Verdict } from '../support/twins.ts'
import { MISSING } from '../support/world.ts'

vi.setConfig({ testTimeout: 60_000 })

type Taken = readonly { readonly id: string; readonly version: number }[]
const NO_CLAIM = { id: '', version: 0 }

/** As text, because JavaScript cannot represent some of these JSON numbers. */
const FIELDS: Readonly<Record<string, { readonly good: readonly string[]; readonly bad: readonly string[] }>> = {
  priority: {
    good: ['-1000000', '1000000', '0', '-0', '1e6', '10.0'],
    bad: ['-1000001', '1000001', '0.5', '1e400', '"1"', 'null'],
  },
  runAt: { good: ['0', '1', `${limits.instant}`], bad: ['-1', `${limits.instant + 1}`, '1.5', '9007199254740993'] },
  delayMs: { good: ['0', `${limits.delayMs}`], bad: ['-1', `${limits.delayMs + 1}`, '0.1'] },
  expiresAt: { good: ['0', `${limits.instant}`], bad: ['-1', `${limits.instant + 1}`] },
  maxAttempts: { good: ['1', '1000'], bad: ['0', '1001', '-1'] },
  timeoutMs: { good: ['1000', `${limits.timeoutMs.max}`], bad: ['999', `${limits.timeoutMs.max + 1}`] },
  backoff: {
    good: ['{"kind":"fixed","baseMs":0}', '{"kind":"exponential","factor":100,"baseMs":2592000000,"jitter":1}'],
    bad: [
      '{"kind":"fixed","baseMs":2592000001}',
      '{"kind":"linear","jitter":1.01}',
      '{"kind":"exponential","factor":0}',
    ],
  },
}

const verdictsOf = (pairs: readonly (readonly [string, boolean])[]): Verdict[] =>
  pairs.map(([name, good]) => (good ? [name, 200, 'ok'] : [name, 400, 'BAD_INPUT']))

describe('number limits on both stores', () => {
  it('the number fields of a job have the same minimum and maximum on both stores', async () => {
    const cases = Object.entries(FIELDS).flatMap(([field, { good, bad }]) => [
      ...good.map((text) => [field, text, true] as const),
      ...bad.map((text) => [field, text, false] as const),
    ])
    const verdicts = await sameOnBoth(async ({ call, callRaw }) => {
      for (const [field, text] of cases) {
        await callRaw(`${field} ${text}`, 'enqueue', `{"type":"mail","payload":"${field}","${field}":${text}}`)
      }
      await call('stored', 'list', { limit: 100, sort: 'oldest' })
      await call('counted', 'stats', {})
    })
    expect(verdicts).toEqual([
      ...verdictsOf(cases.map(([field, text, good]) => [`${field} ${text}`, good])),
      ['stored', 200, 'ok'],
      ['counted', 200, 'ok'],
    ])
  })

  it('priorities and run times lead to the same claim order on both stores', async () => {
    const priorities = [0, 1_000_000, -1_000_000, 1, -1, 0, 1_000_000]
    const jobs = priorities.flatMap((priority) =>
      [{ runAt: 5 }, { runAt: 0 }, {}].map((when) => ({ priority, ...when })),
    )
    const verdicts = await sameOnBoth(async ({ call }) => {
      const named = jobs.map((job, n) => ({ type: n % 2 === 0 ? 'mail' : 'fax', payload: { ...job, n }, ...job }))
      await call('enqueued', 'enqueueMany', { jobs: named })
      await call('in the order of claims', 'list', { sort: 'claim', payloads: true })
      let cursor: string | null | undefined
      for (let n = 0; n < 5 && cursor !== null; n++) {
        const page = { sort: 'claim', limit: 5, ...(cursor && { cursor }) }
        cursor = (await call<{ nextCursor: string | null }>(`page ${n}`, 'list', page))?.nextCursor ?? null
      }
      await call('the most urgent', 'list', { priority: 1_000_000 })
      await call('the least urgent', 'list', { priority: -1_000_000 })
      await call('beyond the last', 'list', { priority: 1_000_001 })
      for (let n = 0; n < 3; n++) await call(`claim ${n}`, 'claim', { worker: 'w', limit: 7 })
    })
    expect(verdicts.filter(([, , code]) => code !== 'ok')).toEqual([['beyond the last', 400, 'BAD_INPUT']])
  })

  it('the number fields of a claim and its settles have the same limits on both stores', async () => {
    const huge = Number.MAX_SAFE_INTEGER
    const pairs: [string, boolean][] = []
    const verdicts = await sameOnBoth(async ({ call }) => {
      pairs.length = 0
      const expectThat = async (good: boolean, name: string, procedure: string, input: object) => {
        pairs.push([name, good])
        return call<Taken>(name, procedure, input)
      }
      const jobs = Array.from({ length: 4 }, (_, n) => ({ type: 'mail', payload: n }))
      await expectThat(true, 'enqueued', 'enqueueMany', { jobs })
      for (const leaseMs of [limits.leaseMs.min - 1, limits.leaseMs.max + 1]) {
        await expectThat(false, `a lease of ${leaseMs}`, 'claim', { worker: 'w', leaseMs })
      }
      const short = await expectThat(true, 'the shortest lease', 'claim', { worker: 'w', leaseMs: limits.leaseMs.min })
      for (const { id, version } of short ?? []) await expectThat(true, 'completed', 'complete', { id, version })
      const long = await expectThat(true, 'the longest lease', 'claim', { worker: 'w', leaseMs: limits.leaseMs.max })
      const [{ id, version } = NO_CLAIM] = long ?? []
      for (const progress of [0, 100, 62.5, 1 / 3, 5e-324]) {
        await expectThat(true, `progress ${progress}`, 'progress', { id, version, progress })
        await expectThat(true, `after progress ${progress}`, 'get', { id })
      }
      for (const progress of [-1e-9, 100.00001]) {
        await expectThat(false, `progress ${progress}`, 'progress', { id, version, progress })
      }
      await expectThat(true, 'a huge version in a heartbeat', 'heartbeat', {
        ...{
          worker: 'w',
          leases: [
            { id, version: huge },
            { id: MISSING, version: huge },
          ],
        },
      })
      await expectThat(false, 'a version beyond', 'complete', { id, version: huge + 1 })
      await expectThat(false, 'no version', 'complete', { id, version: 0 })
      for (const exitCode of [-1_001, 1_001]) {
        await expectThat(false, `exit code ${exitCode}`, 'fail', { id, version, error: 'e', exitCode })
      }
      const failed = { id, version, error: 'e', exitCode: -1_000, retryInMs: limits.delayMs }
      await expectThat(true, 'failed', 'fail', failed)
      await expectThat(true, 'attempts', 'attempts', { id })
      await expectThat(false, 'released for too long', 'release', { id, version, delayMs: limits.delayMs + 1 })
      await expectThat(true, 'a trail before all', 'audit.list', { before: 1 })
      await expectThat(true, 'a trail before the last', 'audit.list', { before: huge })
      await expectThat(true, 'created from the first instant', 'list', { from: 0, to: limits.instant, sort: 'oldest' })
      await expectThat(true, 'created after the last', 'list', { from: limits.instant })
      await expectThat(false, 'created beyond it', 'list', { to: limits.instant + 1 })
    })
    expect(verdicts).toEqual(verdictsOf(pairs))
  })

  it('an unknown version gives the same STALE_CLAIM error on both stores', async () => {
    const huge = Number.MAX_SAFE_INTEGER
    const verdicts = await sameOnBoth(async ({ call }) => {
      await call('enqueued', 'enqueue', { type: 'mail', payload: 1 })
      const [{ id } = NO_CLAIM] = (await call<Taken>('claimed', 'claim', { worker: 'w' })) ?? []
      for (const version of [2, 2 ** 31, 2 ** 32 + 1, huge]) {
        await call(`complete ${version}`, 'complete', { id, version })
        await call(`fail ${version}`, 'fail', { id, version, error: 'e' })
        await call(`release ${version}`, 'release', { id, version })
        await call(`progress ${version}`, 'progress', { id, version, progress: 1 })
        await call(`log ${version}`, 'log', { id, version, lines: [{ line: 'l' }] })
      }
      await call('as it was', 'get', { id })
    })
    const stale = verdicts.filter(([name]) => /^(complete|fail|release|progress|log) /.test(name))
    expect(stale.map(([, status, code]) => [status, code])).toEqual(Array(20).fill([409, 'STALE_CLAIM']))
  })

  it('numbers in a payload are found by their value on both stores', async () => {
    const values = ['0', '-0', '1', '1.0', '1e0', '0.1', '1e308', '5e-324', '9007199254740991', '9007199254740992']
    const refused = ['9007199254740993', '1e400']
    const others = [...refused, '-1.7976931348623157e308', 'true', 'false', 'null', '"1"', '""', '[1]', '{"a":1}']
    const verdicts = await sameOnBoth(async ({ callRaw }) => {
      for (const text of [...values, ...others]) {
        await callRaw(`enqueue ${text}`, 'enqueue', `{"type":"mail","payload":{"a":${text},"list":[${text}]}}`)
      }
      for (const path of ['a', 'list.0', 'list']) {
        for (const text of [...values, ...others.slice(0, -2)]) {
          const filter = `{"payload":{"path":"${path}","equals":${text}},"sort":"oldest"}`
          await callRaw(`${path} = ${text}`, 'list', filter)
        }
      }
    })
    expect(verdicts.filter(([, , code]) => code !== 'ok').map(([name]) => name)).toEqual(
      ['enqueue', 'a =', 'list.0 =', 'list ='].flatMap((what) => refused.map((text) => `${what} ${text}`)),
    )
  })
})

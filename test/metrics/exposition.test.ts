/** Prometheus exposition, and the bound on the number of types. */
import { describe, expect, it } from 'vitest'
import { Buckets } from '../../server/engine/buckets.ts'
import { EngineMetrics, MAX_TYPES } from '../../server/engine/metrics.ts'
import { Exposition } from '../../server/http/metrics/exposition.ts'
import { writeCounters, writeGauges } from '../../server/http/metrics/queue-metrics.ts'
import type { Commit } from '../../server/store/store.ts'
import { emptyCounts } from '../../shared/status.ts'
import { parseMetrics } from './parse.ts'

const families = (write: (out: Exposition) => void) => {
  const out = new Exposition()
  write(out)
  return parseMetrics(out.toString())
}

const commit = (types: readonly string[]): Commit => ({
  now: 0,
  outcomes: [],
  changes: types.map((type) => ({ id: '1', type, from: null, to: 'pending' })),
  measures: types.map(() => undefined),
  ready: new Map(),
  due: { promoteAt: null, leaseAt: null },
})

describe('the exposition', () => {
  it('escapes labels and help texts', () => {
    const read = families((out) => out.gauge('a', 'one \\ two\nthree', [[{ type: 'quote " slash \\ line\n' }, 1]]))
    expect(read.get('a')?.help).toBe('one \\\\ two\\nthree')
    expect([...(read.get('a')?.samples.keys() ?? [])]).toEqual(['a{type="quote \\" slash \\\\ line\\n"}'])
  })

  it('a value on a bucket bound counts in that bucket, one above all bounds only in +Inf', () => {
    const buckets = new Buckets([1, 5])
    for (const value of [0, 1, 1.001, 5, 6]) buckets.observe(value)
    const read = families((out) => out.histogram('a', 'A.', [[{}, buckets]]))
    expect(Object.fromEntries(read.get('a')?.samples ?? [])).toEqual({
      'a_bucket{le="1"}': 2,
      'a_bucket{le="5"}': 4,
      'a_bucket{le="+Inf"}': 5,
      a_sum: 13.001,
      a_count: 5,
    })
  })
})

describe('metrics of many types', () => {
  const names = Array.from({ length: MAX_TYPES + 50 }, (_, n) => `type-${n}`)

  it('counters of the first types are kept, and the rest is always merged the same way', () => {
    const metrics = new EngineMetrics()
    metrics.committed(commit([...names, 'other']), 1, 1)
    metrics.committed(commit([...names].reverse()), 1, 1)
    const read = families((out) => writeCounters(out, metrics)).get('millrace_jobs_enqueued_total')
    expect(read?.samples.size).toBe(MAX_TYPES + 1)
    expect(read?.samples.get('millrace_jobs_enqueued_total{type="type-199"}')).toBe(2)
    expect(read?.samples.get('millrace_jobs_enqueued_total{type="other"}')).toBe(101)
  })

  it('gauges of the largest types are kept, and the rest is summed, including a type named other', () => {
    const counts = new Map(names.map((name, n) => [name, { ...emptyCounts(), pending: n }]))
    counts.set('other', { ...emptyCounts(), pending: 1_000 })
    const oldestReadyMs = new Map([
      ['type-7', 9_000],
      ['type-249', 4_000],
    ])
    const read = families((out) => writeGauges(out, { counts, oldestReadyMs, groups: [], schedules: [] }))
    const pending = [...(read.get('millrace_jobs')?.samples ?? [])].filter(([series]) => series.includes('"pending"'))
    const all = names.reduce((sum, _, n) => sum + n, 1_000)
    expect(pending.length).toBe(MAX_TYPES)
    expect(pending.reduce((sum, [, n]) => sum + n, 0)).toBe(all)
    const ages = read.get('millrace_oldest_ready_job_age_seconds')?.samples
    expect(ages?.get('millrace_oldest_ready_job_age_seconds{type="other"}')).toBe(9)
    expect(ages?.get('millrace_oldest_ready_job_age_seconds{type="type-249"}')).toBe(4)
  })

  it('gauges of the groups with the most keys are kept, and the rest is summed', () => {
    const groups = [...names, 'other'].map((name, n) => ({ name, keys: n, pending: 1, processing: 2, blocked: n }))
    const read = families((out) =>
      writeGauges(out, { counts: new Map(), oldestReadyMs: new Map(), schedules: [], groups }),
    )
    const keys = read.get('millrace_group_keys')?.samples ?? new Map<string, number>()
    expect(keys.size).toBe(MAX_TYPES + 1)
    expect(keys.get('millrace_group_keys{group="type-249"}')).toBe(249)
    expect([...keys.values()].reduce((sum, n) => sum + n, 0)).toBe((250 * 251) / 2)
    const jobs = read.get('millrace_group_jobs')?.samples
    expect(jobs?.get('millrace_group_jobs{group="type-249",status="blocked"}')).toBe(249)
    expect(jobs?.get('millrace_group_jobs{group="other",status="processing"}')).toBe(2 * 51)
  })
})

/** Types with waiting jobs that no online worker claims. */
import { expect, it } from 'vitest'
import { unclaimed, unlisted } from '../../../client/features/overview/unclaimed-types.ts'
import { HOUR, MINUTE, SECOND } from '../../../shared/limits.ts'
import { emptyCounts, type Kind } from '../../../shared/status.ts'

const NOW = HOUR
const worker = (types: readonly string[], seenAt = NOW, drainRequestedAt: number | null = null) => {
  return { types, seenAt, drainRequestedAt }
}
const type = (name: string, kind: Kind = 'job', paused = false) => ({ name, kind, effective: { paused } })
const waiting = (ages: Readonly<Record<string, number>>) => ({
  byType: Object.fromEntries(Object.keys(ages).map((name) => [name, { ...emptyCounts(), pending: 1 }])),
  oldestReadyMsByType: ages,
})

it('lists types whose jobs are ready for 10 seconds and that no online worker names', () => {
  const ready = waiting({ mail: MINUTE, call: MINUTE, fax: MINUTE, fresh: 9 * SECOND, drained: 10 * SECOND })
  const workers = [worker(['mail']), worker(['call'], NOW - 30 * SECOND), worker(['drained'], NOW, NOW - SECOND)]
  expect(unlisted(ready, workers, NOW)).toEqual(['call', 'fax', 'drained'])
  expect(unlisted({ ...ready, byType: {} }, workers, NOW)).toEqual([])
})

it('excludes paused types, types without workers, and types that a worker for all types claims', () => {
  const names = ['job', 'paused', 'command', 'message', 'system', 'gone']
  const types = [
    type('job'),
    type('paused', 'job', true),
    ...(['command', 'message', 'system'] as const).map((kind) => type(kind, kind)),
  ]
  expect(unclaimed(names, types, [worker(['mail'])], NOW)).toEqual(['job', 'command'])
  expect(unclaimed(names, types, [worker([])], NOW)).toEqual(['command'])
  expect(unclaimed(names, types, [worker([], NOW - MINUTE)], NOW)).toEqual(['job', 'command'])
})

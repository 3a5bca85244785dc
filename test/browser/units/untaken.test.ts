/** Which types wait for a worker that is not there. */
import { expect, it } from 'vitest'
import { unnamed, untaken } from '../../../client/features/overview/untaken.ts'
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

it('names types that have waited for a while and that no online worker names', () => {
  const ready = waiting({ mail: MINUTE, call: MINUTE, fax: MINUTE, fresh: 9 * SECOND, drained: 10 * SECOND })
  const workers = [worker(['mail']), worker(['call'], NOW - 30 * SECOND), worker(['drained'], NOW, NOW - SECOND)]
  expect(unnamed(ready, workers, NOW)).toEqual(['call', 'fax', 'drained'])
  expect(unnamed({ ...ready, byType: {} }, workers, NOW)).toEqual([])
})

it('leaves out what is paused, what is fetched without workers, and what a worker of any type takes', () => {
  const names = ['job', 'paused', 'command', 'message', 'system', 'gone']
  const types = [
    type('job'),
    type('paused', 'job', true),
    ...(['command', 'message', 'system'] as const).map((kind) => type(kind, kind)),
  ]
  expect(untaken(names, types, [worker(['mail'])], NOW)).toEqual(['job', 'command'])
  expect(untaken(names, types, [worker([])], NOW)).toEqual(['command'])
  expect(untaken(names, types, [worker([], NOW - MINUTE)], NOW)).toEqual(['job', 'command'])
})

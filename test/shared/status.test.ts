/** The statuses partition a job's life, and every other vocabulary is a total function of them. */
import { describe, expect, it } from 'vitest'
import {
  emptyCounts,
  isStatus,
  isTerminal,
  STATUSES,
  TERMINAL_STATUSES,
  WAITING_STATUSES,
} from '../../shared/status.ts'
import {
  jsonQueueStatus,
  lessonStatus,
  messageState,
  queuectlState,
  statusesFor,
  taskStatus,
} from '../../shared/vocabulary.ts'

/** The table of DESIGN §2, word for word. */
const TABLE = [
  ['scheduled', 'waiting', 'new', 'pending', 'pending', 'to-do'],
  ['pending', 'waiting', 'new', 'pending', 'pending', 'to-do'],
  ['processing', 'active', 'claimed', 'processing', 'processing', 'in-progress'],
  ['retrying', 'waiting', 'new', 'pending', 'failed', 'failed'],
  ['completed', 'completed', 'archived', 'completed', 'completed', 'success'],
  ['failed', 'failed', 'archived', 'failed', 'dead', 'failed'],
  ['cancelled', 'failed', 'archived', 'failed', 'dead', 'failed'],
] as const

const VOCABULARIES = [jsonQueueStatus, messageState, lessonStatus, queuectlState, taskStatus] as const

describe('statuses', () => {
  it('are waiting, processing or terminal, and only one of the three', () => {
    const parts = [...WAITING_STATUSES, 'processing', ...TERMINAL_STATUSES]
    expect(parts.toSorted()).toEqual([...STATUSES].toSorted())
  })

  it('tell terminal ones apart', () => {
    expect(STATUSES.filter(isTerminal)).toEqual(['completed', 'failed', 'cancelled'])
  })

  it('know their own words and no others', () => {
    expect(STATUSES.every(isStatus)).toBe(true)
    expect(['', 'blocked', 'Pending', 'toString', '__proto__'].some(isStatus)).toBe(false)
  })

  it('have a count each, fresh every time', () => {
    expect(emptyCounts()).toEqual(Object.fromEntries(STATUSES.map((status) => [status, 0])))
    expect(emptyCounts()).not.toBe(emptyCounts())
  })
})

describe('vocabularies', () => {
  it('list every status once in the table they are tested against', () => {
    expect(TABLE.map(([status]) => status).toSorted()).toEqual([...STATUSES].toSorted())
  })

  it.each(TABLE)('name %s in every vocabulary as the table does', (status, ...words) => {
    expect(VOCABULARIES.map((vocabulary) => vocabulary[status])).toEqual(words)
  })

  it.each(VOCABULARIES)('have a word for every status and a status for every word: %o', (vocabulary) => {
    expect(Object.keys(vocabulary).toSorted()).toEqual([...STATUSES].toSorted())
    const words = [...new Set(Object.values(vocabulary))]
    expect(words.flatMap((word) => statusesFor(vocabulary, word)).toSorted()).toEqual([...STATUSES].toSorted())
  })

  it('know no status for an unknown word', () => {
    for (const word of ['', 'nope', 'toString', '__proto__']) expect(statusesFor(taskStatus, word)).toEqual([])
  })
})

/** Statuses and their names in the compatible APIs. */
import { describe, expect, it } from 'vitest'
import {
  emptyCounts,
  isStatus,
  isTerminal,
  STATUSES,
  TERMINAL_STATUSES,
  WAITING_STATUSES,
} from '../../../shared/status.ts'
import {
  jsonQueueStatus,
  lessonStatus,
  messageState,
  queuectlState,
  statusesFor,
  taskStatus,
} from '../../../shared/vocabulary.ts'

/** The table of DESIGN §2, word for word. */
const TABLE = [
  ['scheduled', 'waiting', 'new', 'pending', 'pending', 'to-do'],
  ['blocked', 'waiting', 'new', 'pending', 'pending', 'to-do'],
  ['pending', 'waiting', 'new', 'pending', 'pending', 'to-do'],
  ['processing', 'active', 'claimed', 'processing', 'processing', 'in-progress'],
  ['retrying', 'waiting', 'new', 'pending', 'failed', 'failed'],
  ['completed', 'completed', 'archived', 'completed', 'completed', 'success'],
  ['failed', 'failed', 'archived', 'failed', 'dead', 'failed'],
  ['cancelled', 'failed', 'archived', 'failed', 'dead', 'failed'],
] as const

const VOCABULARIES = [jsonQueueStatus, messageState, lessonStatus, queuectlState, taskStatus] as const

describe('statuses', () => {
  it('are exactly one of waiting, processing and terminal', () => {
    const parts = [...WAITING_STATUSES, 'processing', ...TERMINAL_STATUSES]
    expect(parts.toSorted()).toEqual([...STATUSES].toSorted())
  })

  it('include the terminal ones', () => {
    expect(STATUSES.filter(isTerminal)).toEqual(['completed', 'failed', 'cancelled'])
  })

  it('are recognised by isStatus, and other words are not', () => {
    expect(STATUSES.every(isStatus)).toBe(true)
    expect(['', 'held', 'Pending', 'toString', '__proto__'].some(isStatus)).toBe(false)
  })

  it('have one count each in a new object', () => {
    expect(emptyCounts()).toEqual(Object.fromEntries(STATUSES.map((status) => [status, 0])))
    expect(emptyCounts()).not.toBe(emptyCounts())
  })
})

describe('status names of other APIs', () => {
  it('are tested for every status', () => {
    expect(TABLE.map(([status]) => status).toSorted()).toEqual([...STATUSES].toSorted())
  })

  it.each(TABLE)('match the table for %s', (status, ...words) => {
    expect(VOCABULARIES.map((vocabulary) => vocabulary[status])).toEqual(words)
  })

  it.each(VOCABULARIES)('map every status and every name: %o', (vocabulary) => {
    expect(Object.keys(vocabulary).toSorted()).toEqual([...STATUSES].toSorted())
    const words = [...new Set(Object.values(vocabulary))]
    expect(words.flatMap((word) => statusesFor(vocabulary, word)).toSorted()).toEqual([...STATUSES].toSorted())
  })

  it('map an unknown name to no status', () => {
    for (const word of ['', 'nope', 'toString', '__proto__']) expect(statusesFor(taskStatus, word)).toEqual([])
  })
})

/** Job states on the command line: the five of QueueCTL and the statuses of Millrace. */
import { nearest } from '../../../shared/json/nearest.ts'
import { isStatus, STATUSES, type Status } from '../../../shared/status.ts'
import { queuectlState, statusesFor } from '../../../shared/vocabulary.ts'
import { usageError } from '../exit-codes.ts'
import { joinOr } from '../output/format.ts'

export const STATES = ['pending', 'processing', 'completed', 'failed', 'dead'] as const
/** Millrace statuses that QueueCTL has no state for. */
const EXTRA = ['scheduled', 'retrying', 'cancelled'] as const

export const STATE_NAMES: readonly string[] = [...STATES, ...EXTRA]

/** `--state`: QueueCTL names win, so `failed` waits for its next attempt and `dead` has none left. */
export function readStates(words: readonly string[]): readonly Status[] {
  return split(words).flatMap((word) => {
    const statuses = statusesFor(queuectlState, word)
    if (statuses.length > 0) return statuses
    if (isStatus(word)) return [word]
    throw unknown('state', word, STATE_NAMES)
  })
}

/** `--status`: Millrace statuses, as in the dashboard. */
export function readStatuses(words: readonly string[]): readonly Status[] {
  return split(words).map((word) => {
    if (isStatus(word)) return word
    throw unknown('status', word, STATUSES)
  })
}

/** The QueueCTL state, with the status where they differ: `dead (failed)`. */
export function formatState(status: Status): string {
  const state = queuectlState[status]
  return state === status ? state : `${state} (${status})`
}

function split(words: readonly string[]): readonly string[] {
  return words.flatMap((word) => word.split(',')).flatMap((word) => word.trim().toLowerCase() || [])
}

function unknown(name: string, word: string, known: readonly string[]) {
  const meant = nearest(word, known, 3)
  return usageError(`There is no ${name} ${word}; ${meant ? `did you mean ${meant}?` : `use ${joinOr(known)}.`}`)
}

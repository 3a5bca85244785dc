/** The words for what a job may be doing: queuectl's own five, and the finer ones of Millrace. */
import { nearest } from '../../../shared/nearest.ts'
import { isStatus, STATUSES, type Status } from '../../../shared/status.ts'
import { queuectlState, statusesFor } from '../../../shared/vocabulary.ts'
import { usage } from '../exit-codes.ts'
import { either } from '../output/format.ts'

export const STATES = ['pending', 'processing', 'completed', 'failed', 'dead'] as const
/** Words of Millrace that mean nothing else to queuectl. */
const FINER = ['scheduled', 'retrying', 'cancelled'] as const

export const STATE_WORDS: readonly string[] = [...STATES, ...FINER]

/** `--state`: queuectl's words come first, so `failed` waits for its next attempt and `dead` has none left. */
export function readStates(words: readonly string[]): readonly Status[] {
  return split(words).flatMap((word) => {
    const statuses = statusesFor(queuectlState, word)
    if (statuses.length > 0) return statuses
    if (isStatus(word)) return [word]
    throw unknown('state', word, STATE_WORDS)
  })
}

/** `--status`: Millrace's words, as the dashboard shows them. */
export function readStatuses(words: readonly string[]): readonly Status[] {
  return split(words).map((word) => {
    if (isStatus(word)) return word
    throw unknown('status', word, STATUSES)
  })
}

/** `dead (failed)` where queuectl's word does not say it all. */
export function stateWords(status: Status): string {
  const state = queuectlState[status]
  return state === status ? state : `${state} (${status})`
}

function split(words: readonly string[]): readonly string[] {
  return words.flatMap((word) => word.split(',')).flatMap((word) => word.trim().toLowerCase() || [])
}

function unknown(name: string, word: string, known: readonly string[]) {
  const meant = nearest(word, known, 3)
  return usage(`There is no ${name} ${word}; ${meant ? `did you mean ${meant}?` : `it is ${either(known)}.`}`)
}

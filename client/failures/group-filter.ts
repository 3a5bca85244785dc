/** A group of failures as a filter of jobs. Groups share a normalised message; filters look for text that is really there. */
import type { JobFilter } from '../../shared/contracts/observe.ts'
import { wordFor } from '../jobs/filter/words.ts'

export interface Grouped {
  readonly type: string
  readonly errorKey: string
  readonly sampleError: string
}

export interface GroupFilter {
  /** null: no text is common to the group, so that only its type tells it apart. */
  readonly words: string | null
  /** Other groups that the same text catches. */
  readonly alsoCovers: readonly Grouped[]
}

const PLACEHOLDERS = /<(?:uuid|url|email|hex|text|n)>/
/** Shorter pieces are punctuation. */
const MIN_LENGTH = 3

export function groupName({ type, errorKey }: Pick<Grouped, 'type' | 'errorKey'>): string {
  return `${type}\n${errorKey}`
}

/** The text that catches the fewest other groups, and of those the longest. */
export function filterOf(group: Grouped, all: readonly Grouped[]): GroupFilter {
  const others = all.filter((other) => other.type === group.type && other.errorKey !== group.errorKey)
  const caught = (words: string) => others.filter(({ sampleError }) => has(sampleError, words))
  const best = candidatesOf(group)
    .map((words) => ({ words, alsoCovers: caught(words) }))
    .sort((a, b) => a.alsoCovers.length - b.alsoCovers.length || b.words.length - a.words.length)[0]
  return best ?? { words: null, alsoCovers: others }
}

export function failedOf({ type }: Pick<Grouped, 'type'>, words: string | null): JobFilter {
  return { type, status: ['failed'], ...(words !== null && { error: words }) }
}

/** The table of jobs with this filter, in the words of its filter bar. */
export function jobsPath({ type }: Pick<Grouped, 'type'>, words: string | null): string {
  const terms = [wordFor('type', type), 'status:failed', ...(words === null ? [] : [wordFor('error', words)])]
  return `/jobs?${new URLSearchParams({ view: 'table', q: terms.join(' ') })}`
}

/** White space was folded in the key: pieces that the message does not have as they are fall apart into words. */
function candidatesOf({ errorKey, sampleError }: Grouped): readonly string[] {
  const usable = (pieces: readonly string[]) =>
    pieces.map((piece) => piece.trim()).filter((piece) => piece.length >= MIN_LENGTH && has(sampleError, piece))
  const pieces = errorKey.split(PLACEHOLDERS)
  const whole = usable(pieces)
  return whole.length > 0 ? whole : usable(pieces.flatMap((piece) => piece.split(' ')))
}

function has(text: string, words: string): boolean {
  return text.toLowerCase().includes(words.toLowerCase())
}

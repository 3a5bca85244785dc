/** What could come next in the filter bar, from the word the caret is in. */
import { STATUSES } from '../../../../shared/status.ts'
import { AGES, KEYS } from './keys.ts'
import { type Word, wordFor, wordsOf } from './tokenizer.ts'

export interface Suggestion {
  /** What is shown. */
  readonly label: string
  readonly hint: string
  /** The whole text and the caret after it was chosen. */
  readonly text: string
  readonly caret: number
  /** Nothing has to follow: the filter may be asked. */
  readonly isWhole: boolean
}

export interface Known {
  readonly types: readonly string[]
  readonly workers: readonly string[]
  /** What failure groups share. */
  readonly groups: readonly string[]
}

const MOST = 8

/** The word the caret is in. */
export function wordAt(text: string, caret: number): Word | undefined {
  return wordsOf(text).find(({ start, end }) => start < caret && caret <= end)
}

export function suggest(text: string, caret: number, known: Known): Suggestion[] {
  const word = wordAt(text, caret)
  const [start, end] = word ? [word.start, word.end] : [caret, caret]
  const offer = (label: string, hint: string, insert: string, isWhole: boolean): Suggestion => {
    const head = text.slice(0, start) + insert + (isWhole ? ' ' : '')
    return { label, hint, isWhole, text: head + text.slice(end).trimStart(), caret: head.length }
  }
  if (word?.isQuoted && word.key === null) return []
  if (!word || word.key === null) {
    const begun = word?.value.toLowerCase() ?? ''
    return KEYS.filter(({ key }) => key.startsWith(begun)).map(({ key, hint }) => {
      const insert = key.endsWith('.') ? key : `${key}:`
      return offer(insert, hint, insert, false)
    })
  }
  const { key, value } = word
  // Of several statuses only the last one is being written.
  const cut = key === 'status' ? value.lastIndexOf(',') + 1 : 0
  const [settled, begun] = [value.slice(0, cut), value.slice(cut).toLowerCase()]
  return valuesOf(key, known)
    .filter((one) => one.toLowerCase().includes(begun) && one !== value && !settled.split(',').includes(one))
    .sort((a, b) => Number(b.toLowerCase().startsWith(begun)) - Number(a.toLowerCase().startsWith(begun)))
    .slice(0, MOST)
    .map((one) => offer(one, '', wordFor(key, settled + one), true))
}

function valuesOf(key: string, { types, workers, groups }: Known): readonly string[] {
  switch (key) {
    case 'type':
      return types
    case 'worker':
      return workers
    case 'group':
      return groups
    case 'status':
      return STATUSES
    case 'older':
    case 'newer':
      return AGES
    default:
      return []
  }
}

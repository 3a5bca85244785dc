/** Completions for the term at the caret of the filter bar. */
import { STATUSES } from '../../../shared/status.ts'
import { AGES, KEYS } from './keys.ts'
import { formatTerm, type Term, tokenize } from './tokenizer.ts'

export interface Suggestion {
  readonly label: string
  readonly hint: string
  /** The whole text and the caret after choosing this suggestion. */
  readonly text: string
  readonly caret: number
  /** The term is complete, so the filter can be applied. */
  readonly isWhole: boolean
}

export interface Known {
  readonly types: readonly string[]
  readonly workers: readonly string[]
  /** Error keys of the failure groups. */
  readonly errorKeys: readonly string[]
  readonly groups: readonly string[]
  /** Keys of the group in the filter. */
  readonly keys: readonly string[]
}

const MAX_SUGGESTIONS = 8

export function termAt(text: string, caret: number): Term | undefined {
  return tokenize(text).find(({ start, end }) => start < caret && caret <= end)
}

export function suggest(text: string, caret: number, known: Known): Suggestion[] {
  const term = termAt(text, caret)
  const [start, end] = term ? [term.start, term.end] : [caret, caret]
  const offer = (label: string, hint: string, insert: string, isWhole: boolean): Suggestion => {
    const head = text.slice(0, start) + insert + (isWhole ? ' ' : '')
    return { label, hint, isWhole, text: head + text.slice(end).trimStart(), caret: head.length }
  }
  if (term?.isQuoted && term.key === null) return []
  if (!term || term.key === null) {
    const begun = term?.value.toLowerCase() ?? ''
    return KEYS.filter(({ key }) => key.startsWith(begun)).map(({ key, hint }) => {
      const insert = key.endsWith('.') ? key : `${key}:`
      return offer(insert, hint, insert, false)
    })
  }
  const { key, value } = term
  // In a list of statuses only the last one is completed.
  const cut = key === 'status' ? value.lastIndexOf(',') + 1 : 0
  const [settled, begun] = [value.slice(0, cut), value.slice(cut).toLowerCase()]
  return valuesOf(key, known)
    .filter((one) => one.toLowerCase().includes(begun) && one !== value && !settled.split(',').includes(one))
    .sort((a, b) => Number(b.toLowerCase().startsWith(begun)) - Number(a.toLowerCase().startsWith(begun)))
    .slice(0, MAX_SUGGESTIONS)
    .map((one) => offer(one, '', formatTerm(key, settled + one), true))
}

function valuesOf(key: string, { types, workers, errorKeys, groups, keys }: Known): readonly string[] {
  switch (key) {
    case 'type':
      return types
    case 'worker':
      return workers
    case 'group':
      return errorKeys
    case 'in':
      return groups
    case 'key':
      return keys
    case 'status':
      return STATUSES
    case 'older':
    case 'newer':
      return AGES
    default:
      return []
  }
}

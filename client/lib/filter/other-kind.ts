/** Alternative filter that reads a payload value as text instead of JSON, or the other way round. */
import { isScalarText } from './filter.ts'
import { tokenize } from './tokenizer.ts'

export interface OtherKind {
  readonly text: string
  /** The current filter reads it as text. */
  readonly isText: boolean
}

/** null: the value has only one reading. */
export function otherKind(text: string): OtherKind | null {
  const terms = tokenize(text)
  const payload = terms.find(({ key }) => key?.startsWith('payload.'))
  if (!payload || !isScalarText(payload.value)) return null
  const turned = payload.isQuoted ? `${payload.key}:${payload.value}` : `${payload.key}:"${payload.value}"`
  return { text: terms.map((term) => (term === payload ? turned : term.raw)).join(' '), isText: payload.isQuoted }
}

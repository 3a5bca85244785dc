/** The same filter with the value in the payload asked for as text instead of a number, or the other way round. */
import { isScalarText } from './filter.ts'
import { wordsOf } from './tokenizer.ts'

export interface OtherKind {
  readonly text: string
  /** What is looked for now. */
  readonly isText: boolean
}

/** null: it can only be read in one way. */
export function otherKind(text: string): OtherKind | null {
  const words = wordsOf(text)
  const asked = words.find(({ key }) => key?.startsWith('payload.'))
  if (!asked || !isScalarText(asked.value)) return null
  const turned = asked.isQuoted ? `${asked.key}:${asked.value}` : `${asked.key}:"${asked.value}"`
  return { text: words.map((word) => (word === asked ? turned : word.raw)).join(' '), isText: asked.isQuoted }
}

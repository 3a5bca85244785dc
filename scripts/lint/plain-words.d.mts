// Types of plain-words.mjs.
export interface Hit {
  readonly file: string
  readonly line: number
  readonly word: string
  readonly text: string
}
export function findHits(paths?: readonly string[]): Hit[]

/** Finds the position of the first JSON error; not all browsers report it. Also finds numbers that lose precision. */
import { explainChange, findChangedNumber } from '../../../shared/json/exact-numbers.ts'

export interface JsonError {
  readonly message: string
  readonly offset: number
  readonly line: number
  readonly column: number
}

const SPACE = /[ \t\n\r]*/y
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids exactly these
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const KEYWORD = /true|false|null/y

class SyntaxFault extends Error {
  readonly offset: number

  constructor(message: string, offset: number) {
    super(message)
    this.offset = offset
  }
}

export function findJsonError(text: string): JsonError | null {
  try {
    JSON.parse(text)
  } catch {
    return locate(text, findSyntaxError(text))
  }
  const changed = findChangedNumber(text)
  return changed && locate(text, { message: explainChange(changed), offset: changed.offset })
}

function locate(text: string, { message, offset }: Pick<JsonError, 'message' | 'offset'>): JsonError {
  const before = text.slice(0, offset).split('\n')
  return { message, offset, line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
}

function findSyntaxError(text: string): { readonly message: string; readonly offset: number } {
  let position = 0

  function take(pattern: RegExp): boolean {
    pattern.lastIndex = position
    const found = pattern.exec(text)
    if (found) position += found[0].length
    return found !== null
  }

  function fail(expected: string): never {
    throw new SyntaxFault(
      position >= text.length ? `unexpected end of text, expected ${expected}` : `expected ${expected}`,
      position,
    )
  }

  function takeChar(char: string): boolean {
    take(SPACE)
    if (text[position] !== char) return false
    position += 1
    return true
  }

  function name(): void {
    take(SPACE)
    if (!take(STRING)) fail(text[position] === '"' ? 'a complete string in quotes' : 'a property name in double quotes')
    if (!takeChar(':')) fail('a colon')
  }

  function list(end: string, item: () => void): void {
    if (takeChar(end)) return
    do item()
    while (takeChar(','))
    if (!takeChar(end)) fail(`a comma or ${end}`)
  }

  function member(): void {
    name()
    value()
  }

  function value(): void {
    if (takeChar('{')) list('}', member)
    else if (takeChar('[')) list(']', value)
    else if (text[position] === '"') {
      if (!take(STRING)) throw new SyntaxFault('unterminated string, or a character that must be escaped', position)
    } else if (!take(NUMBER) && !take(KEYWORD)) fail('a value')
  }

  try {
    value()
    take(SPACE)
    if (position < text.length) throw new SyntaxFault('unexpected text after the value', position)
    return { message: 'invalid JSON', offset: position }
  } catch (error) {
    // Nested too deeply for this recursive parser.
    return error instanceof SyntaxFault ? error : { message: 'invalid JSON', offset: position }
  }
}

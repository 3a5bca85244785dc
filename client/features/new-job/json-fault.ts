/** Where a text stops being JSON, or has a number that would change. Browsers parse it faster, but do not all say where they gave up. */
import { explainChange, findChangedNumber } from '../../../shared/json/exact-numbers.ts'

export interface Fault {
  readonly message: string
  readonly offset: number
  readonly line: number
  readonly column: number
}

const SPACE = /[ \t\n\r]*/y
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids exactly these
const TEXT = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const WORD = /true|false|null/y

class Broken extends Error {
  readonly offset: number

  constructor(message: string, offset: number) {
    super(message)
    this.offset = offset
  }
}

export function faultOf(text: string): Fault | null {
  try {
    JSON.parse(text)
  } catch {
    return placed(text, findFault(text))
  }
  const changed = findChangedNumber(text)
  return changed && placed(text, { message: explainChange(changed), offset: changed.offset })
}

function placed(text: string, { message, offset }: Pick<Fault, 'message' | 'offset'>): Fault {
  const before = text.slice(0, offset).split('\n')
  return { message, offset, line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
}

function findFault(text: string): { readonly message: string; readonly offset: number } {
  let place = 0

  function take(pattern: RegExp): boolean {
    pattern.lastIndex = place
    const found = pattern.exec(text)
    if (found) place += found[0].length
    return found !== null
  }

  function broken(what: string): never {
    throw new Broken(place >= text.length ? `the text ends where ${what} should be` : `here should be ${what}`, place)
  }

  function sign(wanted: string): boolean {
    take(SPACE)
    if (text[place] !== wanted) return false
    place += 1
    return true
  }

  function name(): void {
    take(SPACE)
    if (!take(TEXT)) broken(text[place] === '"' ? 'a whole text in quotes' : 'a name in double quotes')
    if (!sign(':')) broken('a colon')
  }

  function list(end: string, item: () => void): void {
    if (sign(end)) return
    do item()
    while (sign(','))
    if (!sign(end)) broken(`a comma or ${end}`)
  }

  function member(): void {
    name()
    value()
  }

  function value(): void {
    if (sign('{')) list('}', member)
    else if (sign('[')) list(']', value)
    else if (text[place] === '"') {
      if (!take(TEXT)) throw new Broken('this text does not end, or has a character to escape', place)
    } else if (!take(NUMBER) && !take(WORD)) broken('a value')
  }

  try {
    value()
    take(SPACE)
    if (place < text.length) throw new Broken('here the value is over already', place)
    return { message: 'is not JSON', offset: place }
  } catch (error) {
    // Nested too deeply for this little reader.
    return error instanceof Broken ? error : { message: 'is not JSON', offset: place }
  }
}

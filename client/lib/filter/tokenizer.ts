/** Tokenizer of the filter bar: terms `key:value`, quoted where a value contains spaces. */

export interface Term {
  /** Before the colon, in lower case except for payload paths; null for plain text. */
  readonly key: string | null
  /** Without quotes. */
  readonly value: string
  readonly isQuoted: boolean
  /** A quote is not closed. */
  readonly isOpen: boolean
  /** As written, with its position. */
  readonly raw: string
  readonly start: number
  readonly end: number
}

/** Non-space characters and quoted parts. An open quote extends to the end. */
const TERM = /(?:"(?:\\.|[^"\\])*(?:"|\\?$)|[^\s"])+/gsu
const CLOSED = /"(?:\\.|[^"\\])*"/gsu
/** Looks like a negation, which the filter does not have. */
const NEGATED = /^[-!]\p{L}/u
const KEYED = /^([\p{L}_$][^\s":]*):(.*)$/su

export function tokenize(text: string): Term[] {
  return [...text.matchAll(TERM)].map(({ 0: raw, index: start }) => {
    const [, written = null, rest = raw] = KEYED.exec(raw) ?? []
    const key = written?.startsWith('payload.') ? written : (written?.toLowerCase() ?? null)
    const isQuoted = rest.startsWith('"')
    const isOpen = raw.replace(CLOSED, '').includes('"')
    return { key, value: isQuoted ? unquoted(rest) : rest, isQuoted, isOpen, raw, start, end: start + raw.length }
  })
}

export function isNegated({ raw }: Term): boolean {
  return NEGATED.test(raw)
}

/** The inverse of `tokenize` for one term. */
export function formatTerm(key: string | null, value: string): string {
  const head = key === null ? '' : `${key}:`
  const isPlain =
    /^[^\s"]+$/u.test(value) &&
    (key !== null || !(KEYED.test(value) || NEGATED.test(value))) &&
    !(key === 'type' && value.includes('*'))
  return `${head}${isPlain ? value : quoted(value)}`
}

function quoted(value: string): string {
  return `"${value.replace(/[\\"]/g, '\\$&')}"`
}

function unquoted(text: string): string {
  return text
    .slice(1)
    .replace(/(?<!\\)((?:\\\\)*)".*$/su, '$1')
    .replace(/\\(.)/gsu, '$1')
}

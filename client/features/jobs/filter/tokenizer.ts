/** Cuts the text of the filter bar into words: `key:value`, with quotes around what contains spaces. */

export interface Word {
  /** Before the colon, in small letters unless it is a place in the payload; null for a plain word. */
  readonly key: string | null
  /** Without its quotes. */
  readonly value: string
  readonly isQuoted: boolean
  /** A quote that was opened, and never closed. */
  readonly isOpen: boolean
  /** As it was written, and where. */
  readonly raw: string
  readonly start: number
  readonly end: number
}

/** Anything but space, where quotes keep spaces together; a quote that is still open reaches to the end. */
const WORD = /(?:"(?:\\.|[^"\\])*(?:"|\\?$)|[^\s"])+/gsu
const CLOSED = /"(?:\\.|[^"\\])*"/gsu
/** What looks like "not", which there is none of. */
const NEGATED = /^[-!]\p{L}/u
const KEYED = /^([\p{L}_$][^\s":]*):(.*)$/su

export function wordsOf(text: string): Word[] {
  return [...text.matchAll(WORD)].map(({ 0: raw, index: start }) => {
    const [, written = null, rest = raw] = KEYED.exec(raw) ?? []
    const key = written?.startsWith('payload.') ? written : (written?.toLowerCase() ?? null)
    const isQuoted = rest.startsWith('"')
    const isOpen = raw.replace(CLOSED, '').includes('"')
    return { key, value: isQuoted ? unquoted(rest) : rest, isQuoted, isOpen, raw, start, end: start + raw.length }
  })
}

export function isNegated({ raw }: Word): boolean {
  return NEGATED.test(raw)
}

/** A word that is read back as the same key and value. */
export function wordFor(key: string | null, value: string): string {
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

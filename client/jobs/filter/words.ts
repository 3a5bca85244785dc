/** Cuts the text of the filter bar into words: `key:value`, with quotes around what contains spaces. */

export interface Word {
  /** Before the colon; null for a plain word. */
  readonly key: string | null
  /** Without its quotes. */
  readonly value: string
  readonly isQuoted: boolean
  /** As it was written, and where. */
  readonly raw: string
  readonly start: number
  readonly end: number
}

/** Anything but space, where quotes keep spaces together; a quote that is still open reaches to the end. */
const WORD = /(?:"(?:\\.|[^"\\])*(?:"|$)|[^\s"])+/gu
const KEYED = /^([\p{L}_$][^\s":]*):(.*)$/su

export function wordsOf(text: string): Word[] {
  return [...text.matchAll(WORD)].map(({ 0: raw, index: start }) => {
    const [, key = null, rest = raw] = KEYED.exec(raw) ?? []
    const isQuoted = rest.startsWith('"')
    return { key, value: isQuoted ? unquoted(rest) : rest, isQuoted, raw, start, end: start + raw.length }
  })
}

/** A word that is read back as the same key and value. */
export function wordFor(key: string | null, value: string): string {
  const head = key === null ? '' : `${key}:`
  const isPlain = /^[^\s"]+$/u.test(value) && (key !== null || !KEYED.test(value))
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

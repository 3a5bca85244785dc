/** Formats numbers, names and untrusted text for messages and table cells. */

export const DIALECTS = { sqlite: 'SQLite', postgres: 'PostgreSQL' } as const

export function count(number: number, one: string, many = `${one}s`): string {
  return `${grouped(number)} ${number === 1 ? one : many}`
}

/** 1,234,567 */
export function grouped(number: number): string {
  return number.toLocaleString('en-US')
}

export function bytes(number: number): string {
  if (number < 1_024) return `${number} B`
  const units = ['KiB', 'MiB', 'GiB', 'TiB']
  const power = Math.min(units.length, Math.floor(Math.log2(number) / 10))
  const amount = number / 1_024 ** power
  return `${amount < 10 ? amount.toFixed(1) : Math.round(amount)} ${units[power - 1]}`
}

/** `a, b or c` */
export function joinOr(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
}

/** An address without its password, for terminals and logs. */
export function withoutPassword(url: string): string {
  return url.replace(/(:\/\/[^:@/]*):[^/]*@/, '$1:…@').replace(/([?&]password=)[^&]*/, '$1…')
}

const CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}]/gu

/** Untrusted text as one line, with control characters replaced. */
export function oneLine(text: string): string {
  return text
    .replace(/\s*[\r\n]+\s*/g, ' ⏎ ')
    .replace(/\t/g, ' ')
    .replace(CONTROLS, '�')
}

const ESCAPE = '\u001b'
const COLOUR_SEQUENCE = new RegExp(`(${ESCAPE}\\[[\\d;]*m)`)
const COLOUR_SEQUENCES = new RegExp(COLOUR_SEQUENCE, 'g')

/** A line of job output: keeps colours, replaces all other control characters. */
export function sanitizeLine(line: string): string {
  return line
    .split(COLOUR_SEQUENCE)
    .map((part, index) => (index % 2 === 1 ? part : part.replace(/(?!\t)\p{Cc}/gu, '�')))
    .join('')
}

const WIDE =
  /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}]/u

/** Width in terminal columns, without colour sequences. */
export function widthOf(text: string): number {
  let width = 0
  for (const letter of text.replace(COLOUR_SEQUENCES, '')) {
    if (/\p{M}/u.test(letter)) continue
    width += WIDE.test(letter) ? 2 : 1
  }
  return width
}

/** Shortens text to a number of terminal columns; ends with an ellipsis if shortened. */
export function truncate(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text
  let kept = ''
  let width = 0
  for (const letter of text) {
    width += widthOf(letter)
    if (width > columns - 1) break
    kept += letter
  }
  return columns > 0 ? `${kept}…` : ''
}

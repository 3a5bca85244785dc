/** What a program writes, as lines and as the end of it: bounded, whatever the program does. */

import { sanitise } from '../../shared/json/text.ts'
import { limits } from '../../shared/limits.ts'

const LEFT_OUT = '… lines came too fast and were left out …'

/** Whole lines of one stream. Bytes that are no UTF-8 become U+FFFD, what is too long is cut, a NUL stays no NUL. */
export class LineReader {
  private readonly decoder = new TextDecoder()
  private readonly onLine: (line: string) => void
  private begun = ''

  constructor(onLine: (line: string) => void) {
    this.onLine = onLine
  }

  write(bytes: Uint8Array): void {
    this.read(this.decoder.decode(bytes, { stream: true }))
  }

  /** The last line may have no end. */
  end(): void {
    this.read(this.decoder.decode())
    if (this.begun !== '') this.tell(this.begun)
    this.begun = ''
  }

  private read(text: string): void {
    let from = this.skipped(text)
    for (let end = text.indexOf('\n', from); end !== -1; end = text.indexOf('\n', from)) {
      this.keep(text.slice(from, end))
      this.tell(this.begun)
      this.begun = ''
      from = end + 1
    }
    this.keep(text.slice(from))
  }

  /** Where the last lines begin that an attempt may keep: with 50 MB of the lines of `yes`, reading the others took 20 s. */
  private skipped(text: string): number {
    let start = text.length
    for (let lines = 0; lines <= limits.logLinesPerAttempt; lines++) {
      start = start === 0 ? -1 : text.lastIndexOf('\n', start - 1)
      if (start === -1) return 0
    }
    this.onLine(LEFT_OUT)
    this.begun = ''
    return start + 1
  }

  /** A line without end takes no more room than the longest that is kept; one more character says that it was cut. */
  private keep(part: string): void {
    if (this.begun.length <= limits.logLineLength) this.begun += part.slice(0, limits.logLineLength + 1)
  }

  private tell(line: string): void {
    this.onLine(sanitise(line.endsWith('\r') ? line.slice(0, -1) : line, limits.logLineLength))
  }
}

/** The last lines, as many as fit. */
export class Tail {
  private readonly lines: string[] = []
  private readonly maxLength: number
  private length = 0
  private isCut = false

  constructor(maxLength: number) {
    this.maxLength = maxLength
  }

  add(line: string): void {
    this.lines.push(line)
    this.length += line.length + 1
    while (this.length > this.maxLength && this.lines.length > 1) {
      this.length -= (this.lines.shift()?.length ?? 0) + 1
      this.isCut = true
    }
  }

  /** Begins with an ellipsis where something came before. */
  toString(): string {
    const text = this.lines.join('\n')
    const end = text.length > this.maxLength ? text.slice(-this.maxLength) : text
    return this.isCut || end !== text ? sanitise(`…${this.isCut ? '\n' : ''}${end}`, this.maxLength + 2) : text
  }
}

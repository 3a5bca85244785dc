/** Bounded capture of program output: whole lines, and the last lines as text. */

import { sanitise } from '../../shared/json/text.ts'
import { limits } from '../../shared/limits.ts'

const DROPPED = '… lines dropped: logged faster than they could be stored …'

/** Splits one stream into lines. Invalid UTF-8 becomes U+FFFD, long lines are truncated, NUL is replaced. */
export class LineReader {
  private readonly decoder = new TextDecoder()
  private readonly onLine: (line: string) => void
  private partial = ''

  constructor(onLine: (line: string) => void) {
    this.onLine = onLine
  }

  write(bytes: Uint8Array): void {
    this.read(this.decoder.decode(bytes, { stream: true }))
  }

  /** Emits the last line, which may have no newline. */
  end(): void {
    this.read(this.decoder.decode())
    if (this.partial !== '') this.emit(this.partial)
    this.partial = ''
  }

  private read(text: string): void {
    let from = this.skipExcess(text)
    for (let end = text.indexOf('\n', from); end !== -1; end = text.indexOf('\n', from)) {
      this.append(text.slice(from, end))
      this.emit(this.partial)
      this.partial = ''
      from = end + 1
    }
    this.append(text.slice(from))
  }

  /** Start of the last lines that an attempt may keep. Reading all 50 MB of the output of `yes` took 20 s. */
  private skipExcess(text: string): number {
    let start = text.length
    for (let lines = 0; lines <= limits.logLinesPerAttempt; lines++) {
      start = start === 0 ? -1 : text.lastIndexOf('\n', start - 1)
      if (start === -1) return 0
    }
    this.onLine(DROPPED)
    this.partial = ''
    return start + 1
  }

  /** Bounds an unfinished line to the maximum length; one more character marks it as truncated. */
  private append(part: string): void {
    if (this.partial.length <= limits.logLineLength) this.partial += part.slice(0, limits.logLineLength + 1)
  }

  private emit(line: string): void {
    this.onLine(sanitise(line.endsWith('\r') ? line.slice(0, -1) : line, limits.logLineLength))
  }
}

/** The last lines that fit into `maxLength` characters. */
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

  /** Starts with an ellipsis when earlier output was dropped. */
  toString(): string {
    const text = this.lines.join('\n')
    const end = text.length > this.maxLength ? text.slice(-this.maxLength) : text
    return this.isCut || end !== text ? sanitise(`…${this.isCut ? '\n' : ''}${end}`, this.maxLength + 2) : text
  }
}

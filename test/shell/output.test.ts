/** Program output: lines from arbitrary bytes, in bounded memory. */
import { describe, expect, it } from 'vitest'
import { LineReader, Tail } from '../../server/shell/output.ts'
import { limits } from '../../shared/limits.ts'
import { attempt } from './support/attempt.ts'

function read(...chunks: readonly (string | number[])[]): string[] {
  const lines: string[] = []
  const reader = new LineReader((line) => lines.push(line))
  for (const chunk of chunks) reader.write(typeof chunk === 'string' ? Buffer.from(chunk) : Buffer.from(chunk))
  reader.end()
  return lines
}

describe('lines', () => {
  it.each([
    ['whole ones', ['a\nb\n'], ['a', 'b']],
    ['a last one without end', ['a\nb'], ['a', 'b']],
    ['empty ones', ['\n\na\n\n'], ['', '', 'a', '']],
    ['nothing', [''], []],
    ['one in pieces', ['a', 'b', 'c\nd'], ['abc', 'd']],
    ['ends of other systems', ['a\r', '\nb\r\nc\rd\n'], ['a', 'b', 'c\rd']],
    ['a letter in pieces', [[0xc3], [0xa9, 0x0a], [0xf0, 0x9f], [0x98, 0x80]], ['é', '😀']],
    ['bytes that are no text', [[0xff, 0x61, 0xc3, 0x0a, 0xe2, 0x82]], ['�a�', '�']],
    ['a NUL', ['a\0b\n'], ['a�b']],
  ] as const)('are read from %s', (_, chunks, expected) => {
    expect(read(...chunks.map((chunk) => (typeof chunk === 'string' ? chunk : [...chunk])))).toEqual(expected)
  })

  it('a line that is too long is truncated, and the next line is intact', () => {
    const long = 'x'.repeat(3_000)
    const [cut, next, ...more] = read(long, long, long, '\nnext\n')
    expect([cut?.length, cut?.endsWith('x…'), next, more]).toEqual([limits.logLineLength, true, 'next', []])
    expect(read('y'.repeat(limits.logLineLength))).toEqual(['y'.repeat(limits.logLineLength)])
  })

  it('excess lines of one chunk are dropped, with a note', () => {
    const many = Array.from({ length: 5_000 }, (_, n) => `${n}\n`).join('')
    const lines = read('begun ', many, 'end')
    expect(lines.slice(0, 2)).toEqual(['… lines dropped: logged faster than they could be stored …', '4000'])
    expect(lines.slice(-2)).toEqual(['4999', 'end'])
    expect(lines).toHaveLength(limits.logLinesPerAttempt + 2)
    const few = Array.from({ length: limits.logLinesPerAttempt }, (_, n) => `${n}\n`).join('')
    expect(read(few)).toHaveLength(limits.logLinesPerAttempt)
  })
})

describe('the tail of the output', () => {
  const tail = (...lines: readonly string[]) => {
    const one = new Tail(10)
    for (const line of lines) one.add(line)
    return `${one}`
  }

  it.each([
    [[], ''],
    [['abc', 'def'], 'abc\ndef'],
    [['abcd', 'efgh', 'ij'], '…\nefgh\nij'],
    [['0123456789abc'], '…3456789abc'],
    [['x', '0123456789abc'], '…\n3456789abc'],
  ])('the tail of %j is kept', (lines, expected) => {
    expect(tail(...lines)).toBe(expected)
  })
})

describe('a command that writes without end', () => {
  it('a command that writes 10 MB is read to the end in little memory', async () => {
    const command = attempt({ command: 'yes 0123456789 | head -c 10000000; echo; echo done; echo problem >&2' })
    const { stdout } = await command.ended
    expect(stdout).toMatch(/\n0123456789\n.*\ndone$/s)
    expect(stdout.length).toBeLessThanOrEqual(8_192 + 2)
    expect(command.lines).toContainEqual({ stream: 'stderr', line: 'problem' })
  })

  it('a command may write 10 MB without a newline, with NUL and invalid UTF-8', async () => {
    const command = attempt({
      command: "head -c 10000000 /dev/zero; printf '\\n\\377\\376bad\\000\\n'; printf 'no end'",
    })
    const { stdout } = await command.ended
    const [zeros = '', bad, last] = command.written()
    expect([zeros.length, bad, last]).toEqual([limits.logLineLength, '��bad�', 'no end'])
    expect(stdout.endsWith('��bad�\nno end')).toBe(true)
    expect(stdout).not.toContain('\0')
  })
})

/** Formatting helpers of queuectl: times, sizes, widths, tables. */
import { afterEach, describe, expect, it } from 'vitest'
import { parseInstant } from '../../server/cli/input/times.ts'
import { bytes, oneLine, sanitizeLine, truncate, widthOf, withoutPassword } from '../../server/cli/output/format.ts'
import { createPaint } from '../../server/cli/output/paint.ts'
import { type Column, table } from '../../server/cli/output/table.ts'
import { age, localIso, roundedDuration } from '../../server/cli/output/times.ts'
import { HOUR, MINUTE } from '../../shared/limits.ts'

const zone = process.env.TZ

afterEach(() => {
  process.env.TZ = zone
})

describe('roundedDuration', () => {
  it.each([
    [0, '0 ms'],
    [999, '999 ms'],
    [1_500, '1.5 s'],
    [9_960, '10 s'],
    [119_000, '119 s'],
    [120_000, '2 min'],
    [2 * HOUR, '2 h'],
    [47 * HOUR, '47 h'],
    [49 * HOUR, '2 d'],
    [-5, '0 ms'],
  ])('formats %d ms as %s', (ms, expected) => {
    expect(roundedDuration(ms)).toBe(expected)
  })
})

describe('points in time', () => {
  it.each([
    ['2030-01-31T08:00:00Z', Date.UTC(2030, 0, 31, 8)],
    ['2030-01-31T08:00+02:00', Date.UTC(2030, 0, 31, 6)],
    ['2030-01-31T08:00:00.250Z', Date.UTC(2030, 0, 31, 8) + 250],
    ['1700000000', 1_700_000_000_000],
    ['1700000000000', 1_700_000_000_000],
  ])('parses %s', (text, expected) => {
    expect(parseInstant(text)).toBe(expected)
  })

  it('parses a time without a zone as local time, and a date as local midnight', () => {
    process.env.TZ = 'America/New_York'
    expect(parseInstant('2030-01-31T08:00')).toBe(Date.UTC(2030, 0, 31, 13))
    expect(parseInstant('2030-01-31 08:00')).toBe(Date.UTC(2030, 0, 31, 13))
    expect(parseInstant('2030-01-31')).toBe(Date.UTC(2030, 0, 31, 5))
  })

  it.each(['', 'tomorrow', '2030-13-01', '2030-01-31T25:00', '31.1.2030', '-5', `${'2030'.repeat(20)}x`])(
    'rejects %j as a point in time',
    (text) => {
      expect(parseInstant(text)).toBeNull()
    },
  )

  it('formats a time in local time with its zone', () => {
    process.env.TZ = 'Asia/Kolkata'
    expect(localIso(Date.UTC(2030, 0, 31, 20, 4, 5))).toBe('2030-02-01T01:34:05+05:30')
    process.env.TZ = 'America/St_Johns'
    expect(localIso(Date.UTC(2030, 0, 31, 20, 4, 5))).toBe('2030-01-31T16:34:05-03:30')
  })

  it('formats a time as an age or as time to go', () => {
    expect([age(0, 500), age(0, 3_400), age(0, 3 * MINUTE), age(3 * MINUTE, 0)]).toEqual([
      'now',
      '3 s ago',
      '3 min ago',
      'in 3 min',
    ])
  })
})

describe('text', () => {
  it('formats sizes in the largest fitting unit', () => {
    expect([0, 1_023, 1_024, 10_240, 1_048_576, 5 * 2 ** 40].map(bytes)).toEqual([
      '0 B',
      '1023 B',
      '1.0 KiB',
      '10 KiB',
      '1.0 MiB',
      '5.0 TiB',
    ])
  })

  it('measures and truncates text by terminal columns', () => {
    expect(['abc', 'é', 'e\u0301', '漢字', '👍', '\u001b[31mred\u001b[39m'].map(widthOf)).toEqual([3, 1, 1, 4, 2, 3])
    expect([truncate('abcdef', 4), truncate('abcd', 4), truncate('漢字漢字', 5), truncate('abc', 0)]).toEqual([
      'abc…',
      'abcd',
      '漢字…',
      '',
    ])
  })

  it('replaces terminal control characters', () => {
    expect(oneLine('a\r\n\tb\u0007c\u2028d\u009b')).toBe('a ⏎ b�c�d�')
    expect(sanitizeLine('\u001b[1;31mred\u001b[0m\t\u001b[2J\u0008')).toBe('\u001b[1;31mred\u001b[0m\t�[2J�')
  })

  it('removes passwords from addresses', () => {
    expect(withoutPassword('postgres://me:a@b@h/d')).toBe('postgres://me:…@h/d')
    expect(withoutPassword('postgres://h/d?user=me&password=x&ssl=on')).toBe('postgres://h/d?user=me&password=…&ssl=on')
    expect(withoutPassword('http://127.0.0.1:3000/queue')).toBe('http://127.0.0.1:3000/queue')
  })
})

describe('a table', () => {
  interface Row {
    readonly name: string
    readonly size: number
    readonly note: string
  }
  const columns: Column<Row>[] = [
    { title: 'NAME', cell: ({ name }) => name },
    { title: 'SIZE', cell: ({ size }) => String(size), isNumber: true },
    { title: 'SEEN', cell: () => '2030-01-31', isOptional: true },
    { title: 'NOTE', cell: ({ note }) => note },
  ]
  const rows = [
    { name: 'ä漢', size: 5, note: 'a note that is rather long' },
    { name: 'plain', size: 1_234, note: 'b' },
  ]
  const paint = createPaint({ isTTY: false, columns: 0, rows: 0, write: () => {} }, {})

  it('is as wide as its cells without a width limit', () => {
    expect(table(columns, rows, { paint, width: Number.POSITIVE_INFINITY })).toEqual([
      'NAME   SIZE  SEEN        NOTE',
      'ä漢       5  2030-01-31  a note that is rather long',
      'plain  1234  2030-01-31  b',
    ])
  })

  it('truncates the last column first, then drops optional columns', () => {
    expect(table(columns, rows, { paint, width: 43 })[1]).toBe('ä漢       5  2030-01-31  a note that is ra…')
    expect(table(columns, rows, { paint, width: 38 })[1]).toBe('ä漢       5  a note that is rather lo…')
    expect(table(columns, rows, { paint, width: 20 })[1]).toBe('ä漢       5  a note…')
  })
})

/** Pure parts of the job pages: JSON tree, timeline, log rows, JSON errors, schema validation. */
import { describe, expect, it } from 'vitest'
import { addLines, type LogState, NO_LINES, textOf } from '../../../client/features/job/log/log-lines.ts'
import { buildTimeline } from '../../../client/features/job/timeline/timeline.ts'
import { initialValue } from '../../../client/features/new-job/schema/initial-value.ts'
import { validate } from '../../../client/features/new-job/schema/validate.ts'
import { find } from '../../../client/ui/json/find.ts'
import { findJsonError } from '../../../client/ui/json/json-error.ts'
import { keyOf, writePath } from '../../../client/ui/json/path.ts'
import { firstOpen, opensTo, rowsOf } from '../../../client/ui/json/rows.ts'
import type { Attempt, LogLine } from '../../../shared/job.ts'
import { jobIn } from '../../shared/lifecycle/job-fixture.ts'

describe('JSON tree', () => {
  it('shows half a million numbers in ranges, and expands the path to any of them', () => {
    const value = { list: Array.from({ length: 500_000 }, (_, n) => n), 'a/b': { c: 1 } }
    expect(rowsOf(value, firstOpen(value, 60)).length).toBeLessThan(60)
    const path = ['list', 123_456]
    const rows = rowsOf(value, new Set(opensTo(value, path)))
    expect(rows.length).toBeLessThan(400)
    expect(rows.find(({ key }) => key === keyOf(path))?.part).toEqual({ kind: 'scalar', value: 123_456 })
  })

  it('finds names and values, and writes their paths as JavaScript expressions', () => {
    const value = { user: { 'first name': 'Ada' }, list: [{ ada: true }] }
    expect(find(value, 'ADA').map((path) => writePath('payload', path))).toEqual([
      'payload.user["first name"]',
      'payload.list[0].ada',
    ])
    expect(find(value, '')).toEqual([])
  })

  it('splits a long text into pieces', () => {
    const rows = rowsOf('a'.repeat(500), new Set(['']))
    expect(rows.slice(1).map(({ part }) => (part.kind === 'piece' ? part.value.length : 0))).toEqual([
      120, 120, 120, 120, 20,
    ])
  })
})

describe('timeline', () => {
  const attempt = (version: number, more: Partial<Attempt>): Attempt => ({
    version,
    worker: 'w',
    startedAt: 0,
    finishedAt: 0,
    outcome: 'failed',
    statusAfter: 'retrying',
    nextRunAt: null,
    error: null,
    errorKey: null,
    exitCode: null,
    ...more,
  })

  it('counts waiting time from when each attempt was due', () => {
    const job = jobIn('completed', { createdAt: 1_000, runAt: 9_000, version: 3 })
    const timeline = buildTimeline(
      job,
      [
        attempt(1, { startedAt: 1_500, finishedAt: 2_000, nextRunAt: 4_000 }),
        attempt(2, { startedAt: 4_200, finishedAt: 5_000, nextRunAt: 99_000 }),
        attempt(3, { startedAt: 9_300, finishedAt: 9_900, outcome: 'completed', statusAfter: 'completed' }),
      ],
      [{ id: 1, at: 9_000, actor: 'ada', action: 'runNow' }],
    )
    const shown = timeline.map((one) => [
      one.kind,
      'waitedMs' in one ? one.waitedMs : null,
      'nextAt' in one && one.nextAt,
    ])
    expect(shown).toEqual([
      ['enqueued', null, false],
      ['attempt', 500, 4_200],
      ['attempt', 200, 9_300],
      ['action', null, false],
      ['attempt', 300, null],
    ])
  })
})

describe('log rows', () => {
  const line = (id: number, version: number, text: string, number: number | null = null): LogLine => {
    return { id, version, stream: 'log', at: 0, line: text, number }
  }
  const shownOf = ({ rows }: LogState) =>
    rows.map((row) =>
      row.kind === 'line' ? row.text : row.kind === 'attempt' ? `attempt ${row.version}` : `${row.count} dropped`,
    )

  it('append after the last line, with a heading per attempt and without ANSI colours', () => {
    const first = addLines(NO_LINES, [line(4, 1, '\u001b[31mred\u001b[0m'), line(7, 1, 'two\nlines')])
    const all = addLines(first, [line(9, 2, 'again')])
    expect(all.after).toBe(9)
    expect(shownOf(all)).toEqual(['attempt 1', 'red', 'two', 'lines', 'attempt 2', 'again'])
    expect([all.kept, all.dropped]).toEqual([3, 0])
  })

  it('mark dropped lines at the beginning and between two reads', () => {
    const first = addLines(NO_LINES, [line(4, 1, 'a', 3_001), line(7, 1, 'b', 3_002)])
    const all = addLines(first, [line(9, 1, 'c', 3_013), line(11, 2, 'd', 1), line(12, 3, 'e', null)])
    expect(shownOf(all)).toEqual([
      'attempt 1',
      '3000 dropped',
      'a',
      'b',
      '10 dropped',
      'c',
      'attempt 2',
      'd',
      'attempt 3',
      'e',
    ])
    expect([all.kept, all.dropped]).toEqual([5, 3_010])
    expect(textOf(all.rows)).toContain('--- 3,000 lines dropped: only the last 1,000 lines of an attempt are kept ---')
  })
})

describe('JSON input', () => {
  it.each([
    ['', 1, 1],
    ['{"a": 1,}', 1, 9],
    ['[1, 2', 1, 6],
    ['{\n "a" 1}', 2, 6],
    ['{"a": "x\ny"}', 1, 7],
    ['[01]', 1, 3],
    ['nul', 1, 1],
    ['{} {}', 1, 4],
    ['{\n "id": 9007199254740993}', 2, 8],
  ])('reports %j as invalid at line %i, column %i', (text, line, column) => {
    expect(findJsonError(text)).toMatchObject({ line, column })
  })

  it.each(['{}', ' [1.5e3, -0, "\\u0041", true, null] ', '"x"'])('accepts %j', (text) => {
    expect(findJsonError(text)).toBeNull()
  })
})

describe('schema validation', () => {
  const tree = {
    type: 'object',
    required: ['name'],
    properties: { name: { type: 'string', default: 'root' }, children: { type: 'array', items: { $ref: '#' } } },
  }

  it.each([
    [{ type: 'integer' }, 1.5, ['must be a whole number']],
    [{ type: ['string', 'null'] }, null, []],
    [{ type: 'string', maxLength: 2, pattern: '^a' }, 'bbb', ['must have at most 2 characters', 'must match ^a']],
    [{ exclusiveMinimum: 0, multipleOf: 0.1 }, 0.3, []],
    [{ exclusiveMinimum: 0 }, 0, ['must be more than 0']],
    [{ const: { a: 1, b: 2 } }, { b: 2, a: 1 }, []],
    [{ enum: ['a', 1] }, '1', ['must be one of "a", 1']],
    [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, 3, ['matches none of the allowed schemas']],
    [{ oneOf: [{ minimum: 1 }, { minimum: 2 }] }, 3, ['must match exactly one of the allowed schemas']],
    [
      { items: { type: 'number' }, uniqueItems: true },
      [1, 1, 'x'],
      ['must not contain duplicates', 'must be a number'],
    ],
    [{ prefixItems: [{ type: 'number' }], items: false }, [1, 2], ['is not allowed']],
    [{ additionalProperties: { type: 'number' } }, { a: 'x' }, ['must be a number']],
    [tree, { name: 'a', children: [{ children: [] }] }, ['is required']],
    [{ $ref: '#/$defs/none' }, 'anything', []],
  ])('with schema %j reports the problems of %j', (schema, value, messages) => {
    expect(validate(value, schema).map(({ message }) => message)).toEqual(messages)
  })

  it('takes defaults as initial value, also of a recursive schema', () => {
    expect(initialValue(tree, tree)).toEqual({ name: 'root' })
  })
})

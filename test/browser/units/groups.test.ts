/** Pure parts of the Groups page: rates, texts of rules and states, forms, and rows that keep their places. */
import { describe, expect, it } from 'vitest'
import { stateText } from '../../../client/features/groups/key-state.ts'
import { arrangeKeys } from '../../../client/features/groups/keys/held-keys.ts'
import { formatRate, parseRate } from '../../../client/features/groups/rules/rate.ts'
import { GROUP_FIELDS, KEY_FIELDS } from '../../../client/features/groups/rules/rule-fields.ts'
import { ruleTextsOf } from '../../../client/features/groups/rules/rule-texts.ts'
import { buildTimeline } from '../../../client/features/job/timeline/timeline.ts'
import { groupAddress } from '../../../client/lib/groups-address.ts'
import { groupJobsAddress } from '../../../client/lib/jobs-address.ts'
import { NO_LIMIT, readFields } from '../../../client/ui/form/fields.ts'
import type { GroupRules } from '../../../shared/contracts/groups.ts'
import type { GroupKeyRow } from '../../../shared/groups/records.ts'
import { effectiveGroupRules } from '../../../shared/groups/rules.ts'
import { jobIn } from '../../shared/lifecycle/job-fixture.ts'

function keyRow(more: Partial<GroupKeyRow> = {}, rules: GroupRules = { concurrency: 2 }): GroupKeyRow {
  return {
    name: 'sync',
    key: 'acme',
    pending: 0,
    processing: 2,
    blocked: 318,
    oldestBlockedAt: 5_000,
    nextAt: null,
    busyUntil: null,
    turn: null,
    stopped: null,
    override: {},
    effective: effectiveGroupRules(rules),
    ...more,
  }
}

describe('rates', () => {
  it.each([
    ['10/s', { limit: 10, perMs: 1_000 }],
    ['600/min', { limit: 600, perMs: 60_000 }],
    ['1,000/h', { limit: 1_000, perMs: 3_600_000 }],
    ['5 per 10s', { limit: 5, perMs: 10_000 }],
    ['5 per 1m 30s, burst 3', { limit: 5, perMs: 90_000, burst: 3 }],
  ])('reads %s as it is written', (text, rate) => {
    expect([parseRate(text), formatRate(rate)]).toEqual([rate, text])
  })

  it('accepts other ways to write a rate, and refuses everything else', () => {
    expect(parseRate('10 / 1s')).toEqual({ limit: 10, perMs: 1_000 })
    expect(parseRate('2 PER m burst 4')).toEqual({ limit: 2, perMs: 60_000, burst: 4 })
    expect(['', '10', '/s', '10/', 'ten/s', '10/s burst', '1.5/s', '-1/s'].map(parseRate)).toEqual(Array(8).fill(null))
  })
})

describe('texts of rules', () => {
  const texts = (rules: GroupRules, override: GroupRules = {}) =>
    ruleTextsOf(effectiveGroupRules(override, rules), override).map(({ text, isOverridden }) =>
      isOverridden ? `${text}!` : text,
    )

  it('name every rule that is not a default', () => {
    expect(texts({})).toEqual(['no limit, keys take turns'])
    expect(texts({ rate: { limit: 6, perMs: 60_000, burst: 2 }, window: 1 })).toEqual([
      '6/min, burst 2',
      '1 ready per key',
    ])
    expect(texts({ concurrency: 2, rate: { limit: 10, perMs: 1_000 }, whenFull: 'skip' })).toEqual([
      '2 at a time',
      '10/s',
      'new jobs are skipped when full',
    ])
    expect(texts({ order: 'strict', onDead: 'stop' })).toEqual(['one at a time, in order', 'stops after a failed job'])
  })

  it('mark those that an operator has set, defaults included', () => {
    expect(texts({ concurrency: 2, rate: { limit: 10, perMs: 1_000 } }, { concurrency: 8, rate: null })).toEqual([
      '8 at a time!',
      'no rate limit!',
    ])
    expect(texts({}, { order: 'fair', window: 9 })).toEqual([
      'no limit, keys take turns',
      'keys take turns!',
      '9 ready per key!',
    ])
  })
})

describe('state of a key', () => {
  it.each([
    ['2 of 2 running; 318 blocked; next when one finishes', keyRow()],
    ['2 of 2 running; 318 blocked; next in about 40s', keyRow({ nextAt: 50_000 })],
    ['1 of 2 running; 318 blocked; next now', keyRow({ processing: 1, nextAt: 9_000 })],
    [
      '0 of 2 running; 318 blocked; held back by GroupBusy; next in about 10s',
      keyRow({ processing: 0, nextAt: 20_000, busyUntil: 20_000 }),
    ],
    [
      '1 running; 4 ready; 1,318 blocked; next when a worker takes one',
      keyRow({ processing: 1, pending: 4, blocked: 1_318 }, {}),
    ],
    [
      '0 of 1 running; 1 ready; 3 blocked; next when one has run',
      keyRow({ processing: 0, pending: 1, blocked: 3 }, { order: 'strict' }),
    ],
    [
      '0 of 1 running; 3 blocked; next after the retry of the first',
      keyRow({ processing: 0, blocked: 3 }, { order: 'strict' }),
    ],
    [
      '0 of 1 running; 3 blocked; stopped by a failed job',
      keyRow({ processing: 0, blocked: 3, stopped: { jobId: 'j', at: 1 } }, { order: 'strict' }),
    ],
    ['2 of 2 running; 318 blocked; paused', keyRow({}, { concurrency: 2, paused: true })],
    ['1 of 2 running', keyRow({ processing: 1, blocked: 0, oldestBlockedAt: null })],
  ])('is “%s”', (text, row) => {
    expect(stateText(row, 10_000)).toBe(text)
  })
})

describe('form of the rules', () => {
  const before: GroupRules = { concurrency: 2, rate: { limit: 10, perMs: 1_000 }, whenFull: 'skip' }

  it('sends changed rules only, and removes emptied ones', () => {
    const edits = { concurrency: NO_LIMIT, rate: '10/1s', window: '1', order: 'strict', whenFull: '' }
    expect(readFields(GROUP_FIELDS, edits, before, {})).toEqual({
      set: { concurrency: null, window: 1, order: 'strict' },
      clear: ['whenFull'],
      problems: {},
    })
  })

  it('reports a rate that cannot be read, and accepts no limit', () => {
    expect(readFields(KEY_FIELDS, { rate: 'fast' }, before, {}).problems).toEqual({
      rate: expect.stringContaining('10/s'),
    })
    expect(readFields(KEY_FIELDS, { rate: NO_LIMIT }, before, {}).set).toEqual({ rate: null })
  })

  it('offers a key only the rules that it may override', () => {
    expect(KEY_FIELDS.map(({ key }) => key)).toEqual(['concurrency', 'rate'])
  })
})

describe('keys in view', () => {
  const [a, b, c] = ['a', 'b', 'c'].map((key) => keyRow({ key }))
  const rows = [a, b, c].filter((row) => row !== undefined)
  const reordered = rows.map((row) => ({ ...row, blocked: row.blocked + 1 })).reverse()
  const keysOf = (list: readonly GroupKeyRow[]) => list.map(({ key, blocked }) => `${key} ${blocked}`)

  it('follow the reading while the list is not in use', () => {
    expect(keysOf(arrangeKeys(rows, { rows: reordered, isComplete: true }, false))).toEqual(['c 319', 'b 319', 'a 319'])
  })

  it('keep their places and change their numbers while the list is in use', () => {
    expect(keysOf(arrangeKeys(rows, { rows: reordered, isComplete: true }, true))).toEqual(['a 319', 'b 319', 'c 319'])
  })

  it('show no jobs once all of them are finished, and stay unchanged if they may be on a later page', () => {
    const [first] = reordered
    const read = first ? [first] : []
    expect(keysOf(arrangeKeys(rows, { rows: read, isComplete: true }, true))).toEqual(['a 0', 'b 0', 'c 319'])
    expect(keysOf(arrangeKeys(rows, { rows: read, isComplete: false }, true))).toEqual(['a 318', 'b 318', 'c 319'])
  })

  it('grow by the next page, but not by a key that has moved in above', () => {
    const d = keyRow({ key: 'd' })
    expect(keysOf(arrangeKeys(rows, { rows: [...rows, d], isComplete: true }, true)).at(-1)).toBe('d 318')
    expect(
      arrangeKeys(rows, { rows: [d, ...rows.slice(0, 2)], isComplete: false }, true).map(({ key }) => key),
    ).toEqual(['a', 'b', 'c'])
  })
})

describe('addresses', () => {
  it('carry names and keys with any character', () => {
    const params = new URL(groupAddress('mail/a?b', 'x&y=z'), 'http://host').searchParams
    expect([params.get('group'), params.get('key')]).toEqual(['mail/a?b', 'x&y=z'])
    const jobs = new URL(groupJobsAddress('sync tenant', 'acme "corp"', 'blocked'), 'http://host').searchParams
    expect(jobs.get('q')).toBe('in:"sync tenant" key:"acme \\"corp\\"" status:blocked')
  })
})

describe('timeline of a blocked job', () => {
  it('ends with the key that it waits for', () => {
    const job = jobIn('blocked', { createdAt: 1_000, runAt: 2_000, groupName: 'sync', groupKey: 'acme' })
    expect(buildTimeline(job, [], []).at(-1)).toEqual({ kind: 'blocked', key: 'blocked', at: 2_000, groupKey: 'acme' })
  })
})

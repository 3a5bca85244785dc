/** Forms over settings as pure steps: durations, what to set and what to clear, backoff, the flow of a type. */
import { describe, expect, it } from 'vitest'
import { FLOW_MINUTES, flowOf } from '../../../client/features/job-types/flow.ts'
import { TYPE_FIELDS } from '../../../client/features/job-types/type-fields.ts'
import { withNewest, withOlder } from '../../../client/features/settings/audit-trail.ts'
import { backoffDraft, backoffText, readBackoff } from '../../../client/features/settings/form/backoff-draft.ts'
import { durationText, parseDuration } from '../../../client/features/settings/form/duration-text.ts'
import { NO_LIMIT, readFields } from '../../../client/features/settings/form/fields.ts'
import { changedMeanwhile } from '../../../client/features/settings/form/meanwhile.ts'
import { actionWords, detailWords } from '../../../client/features/settings/format-audit.ts'
import { webhookChanges, webhookDraft } from '../../../client/features/settings/webhooks/webhook-draft.ts'
import { linesOf } from '../../../client/ui/Sparkline.tsx'
import { DEFAULT_BACKOFF } from '../../../shared/backoff.ts'
import { DAY, HOUR, MINUTE } from '../../../shared/limits.ts'

describe('durations', () => {
  it.each([
    ['90s', 90_000, '1m 30s'],
    ['1h 30m', 90 * MINUTE, '1h 30m'],
    ['1.5h', 90 * MINUTE, '1h 30m'],
    ['14D', 14 * DAY, '14d'],
    ['250ms', 250, '250ms'],
    ['0', 0, '0s'],
  ])('%s', (text, ms, back) => {
    expect([parseDuration(text), durationText(ms), parseDuration(back)]).toEqual([ms, back, ms])
  })

  it.each(['', '90', 'soon', '1h soon', '-5s', 'h'])('%j is none', (text) => {
    expect(parseDuration(text)).toBeNull()
  })
})

describe('fields', () => {
  const before = { rate: 5, maxAttempts: 3, timeoutMs: MINUTE }

  it('sends only what was changed here', () => {
    const edits = { rate: NO_LIMIT, burst: '1,000', maxAttempts: '', timeoutMs: '1m' }
    expect(readFields(TYPE_FIELDS, edits, before, {})).toEqual({
      set: { rate: null, burst: 1_000 },
      clear: ['maxAttempts'],
      problems: {},
    })
  })

  it('takes another way to write the same for no change, and tells what others changed of what is edited', () => {
    expect(readFields(TYPE_FIELDS, { rate: '5.0', timeoutMs: '60s' }, before, {})).toMatchObject({ set: {}, clear: [] })
    const told = changedMeanwhile(['rate', 'burst'], { rate: '5', burst: '' }, { rate: '', burst: '' })
    expect(told).toEqual({ rate: expect.stringContaining('no longer set') })
  })

  it('says what it cannot read, and sets no limit where there is always one', () => {
    const { set, problems } = readFields(TYPE_FIELDS, { rate: 'x', maxAttempts: NO_LIMIT, timeoutMs: '5' }, before, {})
    expect([set, Object.keys(problems)]).toEqual([{}, ['rate', 'maxAttempts', 'timeoutMs']])
  })
})

describe('backoff', () => {
  it('comes back as it was', () => {
    expect(readBackoff(backoffDraft(DEFAULT_BACKOFF))).toEqual({ backoff: DEFAULT_BACKOFF, problems: {} })
    expect(backoffText(DEFAULT_BACKOFF)).toBe('exponential from 10s, × 4, at most 6h from attempt 6 on, ± 20 %')
  })

  it('leaves out what is empty, needs the length of a fixed wait, and can be not set at all', () => {
    const empty = backoffDraft(undefined)
    expect(readBackoff(empty)).toEqual({ backoff: undefined, problems: {} })
    expect(readBackoff({ ...empty, kind: 'linear', cap: '1h' }).backoff).toEqual({ kind: 'linear', capMs: HOUR })
    expect(Object.keys(readBackoff({ ...empty, kind: 'fixed' }).problems)).toEqual(['backoff.baseMs'])
    expect(Object.keys(readBackoff({ ...empty, kind: 'linear', jitter: 'much' }).problems)).toEqual(['backoff.jitter'])
  })
})

describe('the audit trail', () => {
  const page = (...ids: number[]) => ids.map((id) => ({ id }))

  it('takes new entries in at its head and older ones at its end, and begins anew rather than leave a gap', () => {
    const first = withNewest(null, page(9, 8, 7), 3)
    const more = withOlder(first, page(6, 5), 3)
    expect(more).toEqual({ entries: page(9, 8, 7, 6, 5), isEnd: true })
    expect(withNewest(more, page(10, 9, 8), 3).entries).toEqual(page(10, 9, 8, 7, 6, 5))
    expect(withNewest(more, page(9, 8, 7), 3)).toBe(more)
    expect(withNewest(more, page(20, 19, 18), 3)).toEqual({ entries: page(20, 19, 18), isEnd: false })
    expect(withNewest(withNewest(null, [], 3), page(1), 3)).toEqual({ entries: page(1), isEnd: true })
  })

  it('tells details as names and values', () => {
    const details = { set: { rate: 5, backoff: { kind: 'fixed', baseMs: 90_000 } }, clear: ['burst'], note: null }
    expect(detailWords(details)).toEqual(['rate: 5', 'backoff: (kind: fixed, baseMs: 1m 30s)', 'burst: cleared'])
  })

  it.each([
    [{ set: { paused: false }, clear: [] }, 'resumed the queue', []],
    [{ set: { paused: true } }, 'paused the queue', []],
    [{ set: { paused: false }, clear: ['rate'] }, 'changed settings', ['paused: false', 'rate: cleared']],
    [{ set: { paused: true, rate: 5 }, clear: [] }, 'changed settings', ['paused: true', 'rate: 5']],
  ])('calls a change a pause where it is nothing else: %j', (details, words, told) => {
    const entry = { actor: 'ada', action: 'settings.update', target: null, details }
    expect([actionWords(entry), detailWords(details)]).toEqual([words, told])
  })
})

describe('webhooks', () => {
  const settings = {
    webhookUrl: 'https://a',
    webhookUrls: { 'b.': 'https://b', 'c.': null },
    webhookSecret: '(hidden)',
  }
  const draft = webhookDraft(settings)

  it.each([
    ['nothing', {}, { set: {}, clear: [] }],
    ['an address taken away', { url: ' ' }, { set: {}, clear: ['webhookUrl'] }],
    ['all prefixes taken away', { prefixes: [] }, { set: {}, clear: ['webhookUrls'] }],
    [
      'a prefix that has no name yet',
      { prefixes: [...draft.prefixes, { row: 9, prefix: '', url: '' }] },
      { set: {}, clear: [] },
    ],
    [
      'a prefix for nobody',
      { prefixes: [{ row: 0, prefix: 'd.', url: '' }] },
      { set: { webhookUrls: { 'd.': null } }, clear: [] },
    ],
    ['a new secret', { secret: 'new', isSecretCleared: true }, { set: { webhookSecret: 'new' }, clear: [] }],
    ['no secret any more', { isSecretCleared: true }, { set: {}, clear: ['webhookSecret'] }],
  ])('%s', (_, change, changes) => {
    expect(webhookChanges({ ...draft, ...change }, settings)).toEqual(changes)
  })
})

describe('the flow of a type', () => {
  const row = (minute: number, enqueued: number, completed: number, failed = 0) => {
    return { minute, type: 'mail', enqueued, completed, failed, dead: 0 }
  }

  const depths = { minutes: [20, 96, 97, 99], types: { mail: { backlog: [5, 20_000, 0, 4] } } }

  it('is the backlog that was recorded, with gaps, and what was done in its hour', () => {
    const minutes = [row(99, 10, 4), row(100, 2, 5, 1), row(20, 99, 99, 99)]
    const facts = { minutes, depths, now: 100 * MINUTE, backlogNow: 7 }
    const { backlog, done, perMinute, failureRate } = flowOf('mail', facts)
    expect([backlog.length, backlog.slice(-6)]).toEqual([FLOW_MINUTES, [null, 20_000, 0, null, 4, 7]])
    expect([done.slice(-3), perMinute, failureRate]).toEqual([[0, 4, 5], 9 / 15, 0.1])
    expect(flowOf('other', facts).backlog.slice(-6)).toEqual([null, 0, 0, null, 0, 7])
  })

  it('knows no rate where nothing ran', () => {
    const facts = { minutes: [], depths, now: 0, backlogNow: 3 }
    expect(flowOf('mail', facts)).toMatchObject({ perMinute: 0, failureRate: null })
  })

  it('is drawn as one line for each stretch that is known', () => {
    expect(linesOf([null, 0, 2, null, 1])).toEqual(['25.00,23.00 50.00,1.00', '100.00,12.00 100.00,12.00'])
    expect(linesOf([null, null])).toEqual([])
  })
})

/** Pure parts of the settings and types pages: form fields, backoff, audit, webhooks, throughput. */
import { describe, expect, it } from 'vitest'
import { FLOW_MINUTES, flowOf } from '../../../client/features/job-types/flow.ts'
import { TYPE_FIELDS } from '../../../client/features/job-types/type-fields.ts'
import { withNewest, withOlder } from '../../../client/features/settings/audit-trail.ts'
import { formatAction, formatDetails } from '../../../client/features/settings/format-audit.ts'
import { webhookChanges, webhookDraft } from '../../../client/features/settings/webhooks/webhook-draft.ts'
import { linesOf } from '../../../client/ui/chart/Sparkline.tsx'
import { backoffDraft, backoffText, readBackoff } from '../../../client/ui/form/backoff-draft.ts'
import { conflictNotices, NO_LIMIT, readFields } from '../../../client/ui/form/fields.ts'
import { HOUR, MINUTE } from '../../../shared/limits.ts'
import { DEFAULT_BACKOFF } from '../../../shared/settings/backoff.ts'

describe('readFields', () => {
  const before = { rate: 5, maxAttempts: 3, timeoutMs: MINUTE }

  it('returns only changed values', () => {
    const edits = { rate: NO_LIMIT, burst: '1,000', maxAttempts: '', timeoutMs: '1m' }
    expect(readFields(TYPE_FIELDS, edits, before, {})).toEqual({
      set: { rate: null, burst: 1_000 },
      clear: ['maxAttempts'],
      problems: {},
    })
  })

  it('treats 5.0 and 5, and 60s and 1m, as the same value', () => {
    expect(readFields(TYPE_FIELDS, { rate: '5.0', timeoutMs: '60s' }, before, {})).toMatchObject({ set: {}, clear: [] })
  })

  it('conflictNotices reports concurrent changes of edited fields', () => {
    const notices = conflictNotices(['rate', 'burst'], { rate: '5', burst: '' }, { rate: '', burst: '' })
    expect(notices).toEqual({ rate: expect.stringContaining('cleared') })
  })

  it('reports invalid text, and rejects "no limit" where a limit is required', () => {
    const { set, problems } = readFields(TYPE_FIELDS, { rate: 'x', maxAttempts: NO_LIMIT, timeoutMs: '5' }, before, {})
    expect([set, Object.keys(problems)]).toEqual([{}, ['rate', 'maxAttempts', 'timeoutMs']])
  })
})

describe('backoff', () => {
  it('is unchanged by a round trip through the form', () => {
    expect(readBackoff(backoffDraft(DEFAULT_BACKOFF))).toEqual({ backoff: DEFAULT_BACKOFF, problems: {} })
    expect(backoffText(DEFAULT_BACKOFF)).toBe('exponential from 10s, × 4, at most 6h from attempt 6 on, ± 20 %')
  })

  it('omits empty parameters, requires a base for fixed backoff, and can be unset', () => {
    const empty = backoffDraft(undefined)
    expect(readBackoff(empty)).toEqual({ backoff: undefined, problems: {} })
    expect(readBackoff({ ...empty, kind: 'linear', cap: '1h' }).backoff).toEqual({ kind: 'linear', capMs: HOUR })
    expect(Object.keys(readBackoff({ ...empty, kind: 'fixed' }).problems)).toEqual(['backoff.baseMs'])
    expect(Object.keys(readBackoff({ ...empty, kind: 'linear', jitter: 'much' }).problems)).toEqual(['backoff.jitter'])
  })
})

describe('audit trail', () => {
  const page = (...ids: number[]) => ids.map((id) => ({ id }))

  it('adds new entries first and older ones last, and starts over instead of leaving a gap', () => {
    const first = withNewest(null, page(9, 8, 7), 3)
    const more = withOlder(first, page(6, 5), 3)
    expect(more).toEqual({ entries: page(9, 8, 7, 6, 5), isEnd: true })
    expect(withNewest(more, page(10, 9, 8), 3).entries).toEqual(page(10, 9, 8, 7, 6, 5))
    expect(withNewest(more, page(9, 8, 7), 3)).toBe(more)
    expect(withNewest(more, page(20, 19, 18), 3)).toEqual({ entries: page(20, 19, 18), isEnd: false })
    expect(withNewest(withNewest(null, [], 3), page(1), 3)).toEqual({ entries: page(1), isEnd: true })
  })

  it('formats details as names and values', () => {
    const details = { set: { rate: 5, backoff: { kind: 'fixed', baseMs: 90_000 } }, clear: ['burst'], note: null }
    expect(formatDetails(details)).toEqual(['rate: 5', 'backoff: (kind: fixed, baseMs: 1m 30s)', 'burst: cleared'])
  })

  it.each([
    [{ set: { paused: false }, clear: [] }, 'resumed the queue', []],
    [{ set: { paused: true } }, 'paused the queue', []],
    [{ set: { paused: false }, clear: ['rate'] }, 'changed settings', ['paused: false', 'rate: cleared']],
    [{ set: { paused: true, rate: 5 }, clear: [] }, 'changed settings', ['paused: true', 'rate: 5']],
  ])('shows a change as pause or resume only if it changes nothing else: %j', (details, action, texts) => {
    const entry = { actor: 'ada', action: 'settings.update', target: null, details }
    expect([formatAction(entry), formatDetails(details)]).toEqual([action, texts])
  })
})

describe('webhook form', () => {
  const settings = {
    webhookUrl: 'https://a',
    webhookUrls: { 'b.': 'https://b', 'c.': null },
    webhookSecret: '(hidden)',
  }
  const draft = webhookDraft(settings)

  it.each([
    ['sends nothing without changes', {}, { set: {}, clear: [] }],
    ['clears a removed URL', { url: ' ' }, { set: {}, clear: ['webhookUrl'] }],
    ['clears the prefixes when all are removed', { prefixes: [] }, { set: {}, clear: ['webhookUrls'] }],
    [
      'ignores a row without a prefix',
      { prefixes: [...draft.prefixes, { row: 9, prefix: '', url: '' }] },
      { set: {}, clear: [] },
    ],
    [
      'turns webhooks off for a prefix without a URL',
      { prefixes: [{ row: 0, prefix: 'd.', url: '' }] },
      { set: { webhookUrls: { 'd.': null } }, clear: [] },
    ],
    [
      'sends a new secret even if the old one was cleared',
      { secret: 'new', isSecretCleared: true },
      { set: { webhookSecret: 'new' }, clear: [] },
    ],
    ['clears the secret', { isSecretCleared: true }, { set: {}, clear: ['webhookSecret'] }],
  ])('%s', (_, change, changes) => {
    expect(webhookChanges({ ...draft, ...change }, settings)).toEqual(changes)
  })
})

describe('backlog and throughput of a type', () => {
  const row = (minute: number, enqueued: number, completed: number, failed = 0) => {
    return { minute, type: 'mail', enqueued, completed, failed, dead: 0 }
  }

  const depths = { minutes: [20, 96, 97, 99], types: { mail: { backlog: [5, 20_000, 0, 4] } } }

  it('contains the recorded backlog with gaps, and the counts of the last hour', () => {
    const minutes = [row(99, 10, 4), row(100, 2, 5, 1), row(20, 99, 99, 99)]
    const input = { minutes, depths, now: 100 * MINUTE, backlogNow: 7 }
    const { backlog, done, perMinute, failureRate } = flowOf('mail', input)
    expect([backlog.length, backlog.slice(-6)]).toEqual([FLOW_MINUTES, [null, 20_000, 0, null, 4, 7]])
    expect([done.slice(-3), perMinute, failureRate]).toEqual([[0, 4, 5], 9 / 15, 0.1])
    expect(flowOf('other', input).backlog.slice(-6)).toEqual([null, 0, 0, null, 0, 7])
  })

  it('has no failure rate when nothing ran', () => {
    const input = { minutes: [], depths, now: 0, backlogNow: 3 }
    expect(flowOf('mail', input)).toMatchObject({ perMinute: 0, failureRate: null })
  })
})

describe('a sparkline', () => {
  it('has one line per run of known values', () => {
    expect(linesOf([null, 0, 2, null, 1])).toEqual(['25.00,23.00 50.00,1.00', '100.00,12.00 100.00,12.00'])
    expect(linesOf([null, null])).toEqual([])
  })
})

/** Forms of the settings and types pages: fields, conflicts, backoff, webhooks. */
import { describe, expect, it } from 'vitest'
import { TYPE_FIELDS } from '../../../client/features/job-types/type-fields.ts'
import { webhookChanges, webhookDraft } from '../../../client/features/settings/webhooks/webhook-draft.ts'
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

  it('reports invalid text, and rejects "no limit" where a limit is required', () => {
    const { set, problems } = readFields(TYPE_FIELDS, { rate: 'x', maxAttempts: NO_LIMIT, timeoutMs: '5' }, before, {})
    expect([set, Object.keys(problems)]).toEqual([{}, ['rate', 'maxAttempts', 'timeoutMs']])
  })
})

describe('conflictNotices', () => {
  it('reports concurrent changes of edited fields', () => {
    const notices = conflictNotices(['rate', 'burst'], { rate: '5', burst: '' }, { rate: '', burst: '' })
    expect(notices).toEqual({ rate: expect.stringContaining('cleared') })
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

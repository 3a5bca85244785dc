/** Audit trail of the settings page: order of entries, and their text. */
import { describe, expect, it } from 'vitest'
import { withNewest, withOlder } from '../../../client/features/settings/audit-trail.ts'
import { formatAction, formatDetails } from '../../../client/features/settings/format-audit.ts'

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

/** Drafts of event frames: pure merging, bounded in size. */
import { describe, expect, it } from 'vitest'
import { addEvent, type Draft, emptyDraft, mergeDrafts } from '../../../server/api/event-frames/frame-draft.ts'
import type { QueueEvent } from '../../../server/engine/events.ts'

type Change = Draft['changes'][number]

const change = (n: number): Change => ({ id: `job-${n}`, type: 'mail', from: null, to: 'pending' })
const changes = (count: number, from = 0) => Array.from({ length: count }, (_, n) => change(from + n))
const bulks = (count: number, from = 0) => Array.from({ length: count }, (_, n) => `bulk-${from + n}`)

const draft = (differs: Partial<Draft> = {}): Draft => ({ ...emptyDraft(1_000), ...differs })

/** The draft of these events. */
const draftOf = (events: readonly QueueEvent[]) =>
  events.reduce((sum, event, n) => addEvent(sum, { id: `epoch:${n}`, event }), emptyDraft(0))

describe('a draft', () => {
  it.each<[QueueEvent['kind'], QueueEvent, Partial<Draft>]>([
    ['jobs', { kind: 'jobs', at: 7, total: 300, changes: changes(2) }, { total: 300, changes: changes(2) }],
    ['types', { kind: 'types', at: 7 }, { types: true }],
    ['settings', { kind: 'settings', at: 7 }, { settings: true }],
    ['workers', { kind: 'workers', at: 7 }, { workers: true }],
    ['bulk', { kind: 'bulk', at: 7, id: 'bulk-1' }, { bulks: ['bulk-1'] }],
    ['elsewhere', { kind: 'elsewhere', at: 7 }, { refetch: true }],
  ])('a draft of a %s event contains that change and nothing else', (_, event, expected) => {
    expect(draftOf([event])).toEqual({ ...emptyDraft(7), ...expected })
  })

  it('a draft lists 200 bulk operations without refetch', () => {
    const all = draftOf(bulks(200).map((id) => ({ kind: 'bulk', at: 1, id })))
    expect([all.refetch, all.bulks]).toEqual([false, bulks(200)])
  })

  it('a draft lists 200 of 201 bulk operations and sets refetch', () => {
    const all = draftOf(bulks(201).map((id) => ({ kind: 'bulk', at: 1, id })))
    expect([all.refetch, all.bulks]).toEqual([true, bulks(200)])
  })

  it('a draft lists a bulk operation once, however often it changes', () => {
    const twice = [...bulks(200), ...bulks(200)]
    const all = draftOf(twice.map((id) => ({ kind: 'bulk', at: 1, id })))
    expect([all.refetch, all.bulks]).toEqual([false, bulks(200)])
  })

  it('a draft lists the first 200 changes and counts all of them', () => {
    const all = draftOf([0, 1, 2].map((n) => ({ kind: 'jobs', at: 1, total: 150, changes: changes(150, 150 * n) })))
    expect([all.total, all.changes, all.refetch]).toEqual([450, changes(200), false])
  })
})

describe('two drafts', () => {
  it('merged drafts have the later time, all changes in order, and each bulk operation once', () => {
    const earlier = draft({ at: 5, total: 3, changes: changes(2), bulks: ['a', 'b'] })
    const later = draft({ at: 9, total: 40, changes: changes(1, 2), bulks: ['b', 'c'] })
    expect(mergeDrafts(earlier, later)).toEqual(
      draft({ at: 9, total: 43, changes: changes(3), bulks: ['a', 'b', 'c'] }),
    )
  })

  it('merged drafts keep the later time when the clock was set back', () => {
    expect(mergeDrafts(draft({ at: 9 }), draft({ at: 5 })).at).toBe(9)
  })

  it.each(['refetch', 'types', 'settings', 'workers'] as const)(
    'merged drafts set %s when one of them does',
    (flag) => {
      const [yes, no] = [draft({ [flag]: true }), draft()]
      expect([mergeDrafts(yes, no), mergeDrafts(no, yes), mergeDrafts(no, no)]).toEqual([yes, yes, no])
    },
  )

  it.each([
    [200, 0, false],
    [0, 200, false],
    [100, 100, false],
    [100, 101, true],
    [200, 1, true],
  ])('merged drafts with %i and %i bulk operations have refetch %s', (before, after, refetch) => {
    const merged = mergeDrafts(draft({ bulks: bulks(before) }), draft({ bulks: bulks(after, before) }))
    expect([merged.refetch, merged.bulks]).toEqual([refetch, bulks(Math.min(200, before + after))])
  })

  it('merging does not change the drafts, which other subscribers share', () => {
    const pair = () => [
      draft({ changes: changes(2), bulks: bulks(2) }),
      draft({ changes: changes(1, 2), bulks: ['x'] }),
    ]
    const [earlier = draft(), later = draft()] = pair()
    mergeDrafts(earlier, later)
    expect([earlier, later]).toEqual(pair())
  })
})

/** Admission to a key of a group: slots, rate, turns, and when to look again. */
import { describe, expect, it } from 'vitest'
import {
  admitsNew,
  afterBusy,
  afterMove,
  EMPTY_KEY,
  hasRoom,
  type KeyState,
  type Move,
  wakeTime,
} from '../../../server/store/decisions/group-slots.ts'
import type { GroupRules } from '../../../shared/contracts/groups.ts'
import { effectiveGroupRules } from '../../../shared/groups/rules.ts'

const NOW = 1_800_000_000_000
const key = (state: Partial<KeyState> = {}): KeyState => ({ ...EMPTY_KEY, ...state })
const room = (state: Partial<KeyState>, rules: GroupRules, seq = 1, now = NOW) =>
  hasRoom(key(state), effectiveGroupRules(rules), now, seq)
const wake = (state: Partial<KeyState>, rules: GroupRules, now = NOW) =>
  wakeTime(key(state), effectiveGroupRules(rules), now)

function moved(state: Partial<KeyState>, rules: GroupRules, moves: readonly Move[], now = NOW): KeyState {
  return moves.reduce((before, move) => afterMove(before, move, effectiveGroupRules(rules), now), key(state))
}

/** One start after the other, all at the same instant. */
function started(count: number, rules: GroupRules, now = NOW, from: KeyState = key()): KeyState {
  const start = { seq: 1, from: 'pending', to: 'processing' } as const
  const end = { seq: 1, from: 'processing', to: 'completed' } as const
  const moves = Array.from({ length: count }, () => [{ seq: 1, from: null, to: 'pending' } as const, start, end])
  return moved(from, rules, moves.flat(), now)
}

describe('room of a key', () => {
  it('pending and running jobs together stay within the concurrency', () => {
    expect(room({ pending: 1, processing: 1 }, { concurrency: 3 })).toBe(true)
    expect(room({ pending: 2, processing: 1 }, { concurrency: 3 })).toBe(false)
    expect(room({ processing: 3 }, { concurrency: 3 })).toBe(false)
    expect(room({ processing: 9 }, { concurrency: 3 })).toBe(false)
  })

  it('pending jobs stay within the window; running ones do not count', () => {
    expect(room({ pending: 3, processing: 90 }, {})).toBe(true)
    expect(room({ pending: 4 }, {})).toBe(false)
    expect(room({ pending: 1 }, { window: 1 })).toBe(false)
  })

  it('a paused key has none', () => {
    expect(room({}, { paused: true })).toBe(false)
    expect(wake({ blocked: 1 }, { paused: true })).toBeNull()
  })

  it('a new job waits behind those that are blocked already', () => {
    expect(admitsNew(key({ blocked: 1 }), effectiveGroupRules({}), NOW, 2)).toBe(false)
    expect(admitsNew(key(), effectiveGroupRules({}), NOW, 2)).toBe(true)
  })

  it('a busy key has none until the time is over, and the later of two times counts', () => {
    const busy = afterBusy(afterBusy(key({ blocked: 1 }), 5_000, NOW), 2_000, NOW)
    expect(busy.busyUntil).toBe(NOW + 5_000)
    expect(room(busy, {}, 1, NOW + 4_999)).toBe(false)
    expect(wake(busy, {}, NOW + 100)).toBe(NOW + 5_000)
    expect(room(busy, {}, 1, NOW + 5_000)).toBe(true)
  })

  it('the end of a busy time is forgotten with the next move', () => {
    const move = { seq: 1, from: 'blocked', to: 'pending' } as const
    expect(moved({ busyUntil: NOW + 1, blocked: 1 }, {}, [move]).busyUntil).toBe(NOW + 1)
    expect(moved({ busyUntil: NOW, blocked: 1 }, {}, [move]).busyUntil).toBeNull()
  })
})

describe('the rate of a key', () => {
  const even = { rate: { limit: 10, perMs: 1_000 } }
  const bursty = { rate: { limit: 10, perMs: 1_000, burst: 3 } }

  it('without a burst, starts are evenly spaced', () => {
    const state = { ...started(1, even), blocked: 1 }
    expect(room(state, even, 1, NOW + 99)).toBe(false)
    expect(wake(state, even)).toBe(NOW + 100)
    expect(room(state, even, 1, NOW + 100)).toBe(true)
  })

  it('as many jobs as the burst may be pending at once, and no more', () => {
    expect(room({ pending: 2 }, bursty)).toBe(true)
    expect(room({ pending: 3 }, bursty)).toBe(false)
    expect(wake({ pending: 3, blocked: 1 }, bursty)).toBeNull()
  })

  it('pending jobs count as started', () => {
    const state = { ...started(1, bursty), pending: 2, blocked: 1 }
    expect(room(state, bursty)).toBe(false)
    expect(wake(state, bursty)).toBe(NOW + 100)
    expect(room(state, bursty, 1, NOW + 100)).toBe(true)
  })

  it('a pause gives back no more than the burst', () => {
    const after = NOW + 3_600_000
    const state = started(3, bursty, after, started(3, bursty))
    expect(room(state, bursty, 1, after)).toBe(false)
    expect(room(state, bursty, 1, after + 100)).toBe(true)
  })

  it('a wake time is a whole millisecond at which there is room', () => {
    const thirds = { rate: { limit: 3, perMs: 1_000 } }
    const at = wake({ ...started(1, thirds), blocked: 1 }, thirds)
    expect(at).toBe(NOW + 334)
    expect(room(started(1, thirds), thirds, 1, NOW + 334)).toBe(true)
  })

  it('a key starts again after the clock was set back by an hour', () => {
    const state = { ...started(3, bursty, NOW + 3_600_000), blocked: 1 }
    const at = wake(state, bursty)
    expect(at).toBeLessThanOrEqual(NOW + 300)
    expect(room(state, bursty, 1, at ?? 0)).toBe(true)
  })

  it('a small step of the clock backwards gives no extra start', () => {
    expect(room(started(1, even, NOW + 30), even, 1, NOW)).toBe(false)
    expect(wake({ ...started(1, even, NOW + 30), blocked: 1 }, even)).toBe(NOW + 130)
  })

  it('a raised rate counts at once', () => {
    const state = { ...started(1, { rate: { limit: 1, perMs: 3_600_000 } }), blocked: 1 }
    const at = wake(state, even, NOW + 1_000)
    expect(at).toBeLessThanOrEqual(NOW + 1_100)
    expect(room(state, even, 1, at ?? 0)).toBe(true)
  })

  it('a job that becomes pending uses no token; a claim does', () => {
    expect(moved({}, even, [{ seq: 1, from: null, to: 'pending' }]).tat).toBeNull()
    expect(moved({ pending: 1 }, even, [{ seq: 1, from: 'pending', to: 'processing' }]).tat).toBe(NOW + 100)
    expect(moved({ processing: 1 }, even, [{ seq: 1, from: 'processing', to: 'processing' }]).tat).toBeNull()
  })
})

describe('strict order', () => {
  const strict = { order: 'strict', onDead: 'stop' } as const
  const turn = { turnSeq: 7 }

  it('the first pending job gets the turn, and only it has room', () => {
    const state = moved({}, strict, [{ seq: 7, from: null, to: 'pending' }])
    expect(state.turnSeq).toBe(7)
    expect(room({ ...state, pending: 0 }, strict, 8)).toBe(false)
    expect(room({ ...state, pending: 0 }, strict, 7)).toBe(true)
  })

  it.each(['scheduled', 'retrying', 'blocked'] as const)('a job that becomes %s keeps its turn', (to) => {
    expect(moved({ ...turn, processing: 1 }, strict, [{ seq: 7, from: 'processing', to }]).turnSeq).toBe(7)
  })

  it.each(['completed', 'cancelled', null] as const)('a job that becomes %s gives its turn away', (to) => {
    expect(moved({ ...turn, processing: 1 }, strict, [{ seq: 7, from: 'processing', to }]).turnSeq).toBeNull()
  })

  it('the end of another job leaves the turn alone', () => {
    expect(moved({ ...turn, blocked: 1 }, strict, [{ seq: 8, from: 'blocked', to: 'cancelled' }]).turnSeq).toBe(7)
  })

  it('a failed job stops the key with onDead stop, and gives its turn away with continue', () => {
    const failed = { seq: 7, from: 'processing', to: 'failed' } as const
    const stopped = moved({ ...turn, processing: 1, blocked: 2 }, strict, [failed])
    expect(stopped).toMatchObject({ turnSeq: 7, stoppedAt: NOW })
    expect(room(stopped, strict, 8)).toBe(false)
    expect(wake(stopped, strict)).toBeNull()
    const continues = moved({ ...turn, processing: 1 }, { order: 'strict' }, [failed])
    expect(continues).toMatchObject({ turnSeq: null, stoppedAt: null })
  })

  it('a retry of the job that stopped the key has room, and the key continues', () => {
    const stopped = { ...turn, stoppedAt: NOW - 5, blocked: 2 }
    expect(room(stopped, strict, 7)).toBe(true)
    expect(room(stopped, strict, 8)).toBe(false)
    for (const to of ['pending', 'blocked', 'retrying'] as const) {
      expect(moved(stopped, strict, [{ seq: 7, from: 'failed', to }])).toMatchObject({ turnSeq: 7, stoppedAt: null })
    }
  })

  it('a removal of the job that stopped the key frees it', () => {
    const stopped = { ...turn, stoppedAt: NOW - 5, blocked: 2 }
    expect(moved(stopped, strict, [{ seq: 7, from: 'failed', to: null }])).toMatchObject({
      turnSeq: null,
      stoppedAt: null,
    })
  })

  it('a group that became fair forgets turn and stop', () => {
    const stopped = { ...turn, stoppedAt: NOW - 5, blocked: 2 }
    expect(room(stopped, {}, 8)).toBe(true)
    expect(wake(stopped, {})).toBe(NOW)
    expect(moved(stopped, {}, [{ seq: 8, from: 'blocked', to: 'pending' }])).toMatchObject({
      turnSeq: null,
      stoppedAt: null,
    })
  })
})

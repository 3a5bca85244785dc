/** Counts wrong tokens by who sends them. A right one always passes: nobody locks out others behind the same address. */
import { isIPv6 } from 'node:net'
import { QueueError } from '../../../shared/errors.ts'
import { MINUTE, SECOND } from '../../../shared/limits.ts'
import type { Clock } from '../../base/clock.ts'

const WINDOW_MS = MINUTE
const MAX_FAILURES = 10
/** Whoever has more addresses than this makes us forget some of them, not run out of memory. */
const MAX_PEERS = 10_000
/** Entries in the audit trail per window, over all peers. */
const MAX_NOTES = 60

interface Window {
  readonly startedAt: number
  count: number
}

export class Throttle {
  private readonly clock: Clock
  private readonly windows = new Map<string, Window>()
  private readonly onThrottled: (peer: string) => void
  private notes: Window

  constructor(clock: Clock, onThrottled: (peer: string) => void = () => {}) {
    this.clock = clock
    this.onThrottled = onThrottled
    this.notes = { startedAt: clock.monotonic(), count: 0 }
  }

  /** One more wrong token: throws once there were too many. */
  failed(address: string): void {
    const now = this.clock.monotonic()
    const peer = peerOf(address)
    const known = this.windows.get(peer)
    const window = known && isOpen(known, now) ? known : { startedAt: now, count: 0 }
    window.count += 1
    if (window !== known) this.remember(peer, window, now)
    if (window.count <= MAX_FAILURES) return
    if (window.count === MAX_FAILURES + 1 && this.mayNote()) this.onThrottled(peer)
    const retryAfterMs = Math.ceil(window.startedAt + WINDOW_MS - now)
    throw new QueueError(
      'TOO_MANY',
      `Too many wrong tokens from ${peer}; try again in ${Math.ceil(retryAfterMs / SECOND)} s, or send a right one.`,
      { retryAfterMs },
    )
  }

  /** The audit trail has room for one more of what strangers do. */
  mayNote(): boolean {
    const now = this.clock.monotonic()
    if (!isOpen(this.notes, now)) this.notes = { startedAt: now, count: 0 }
    this.notes.count += 1
    return this.notes.count <= MAX_NOTES
  }

  /** For tests: how many are remembered. */
  get size(): number {
    return this.windows.size
  }

  /** The oldest window stands first. */
  private remember(peer: string, window: Window, now: number): void {
    this.windows.delete(peer)
    for (const [other, { startedAt }] of this.windows) {
      if (this.windows.size < MAX_PEERS && now - startedAt < WINDOW_MS) break
      this.windows.delete(other)
    }
    this.windows.set(peer, window)
  }
}

function isOpen({ startedAt }: Window, now: number): boolean {
  return now - startedAt < WINDOW_MS
}

/** Whoever has one address of IPv6 has the whole /64. */
export function peerOf(address: string): string {
  if (!isIPv6(address)) return address
  const [head = '', tail] = address.replace(/%.*/, '').split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail ? tail.split(':') : []
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length)
  const groups = [...left, ...Array<string>(zeros).fill('0'), ...right].slice(0, 4)
  return `${groups.map((group) => (Number.parseInt(group, 16) || 0).toString(16)).join(':')}::/64`
}

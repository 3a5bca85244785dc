/** Rate limit for wrong tokens per client address; valid tokens always pass, so no client can lock out another. */
import { isIPv6 } from 'node:net'
import { QueueError } from '../../../shared/errors.ts'
import { MINUTE, SECOND } from '../../../shared/limits.ts'
import type { Clock } from '../../base/clock.ts'

const WINDOW_MS = MINUTE
const MAX_FAILURES = 10
/** Bounds memory: with more addresses than this the oldest are forgotten. */
const MAX_PEERS = 10_000
/** Audit entries per window, over all peers. */
const MAX_AUDIT_ENTRIES = 60

interface Window {
  readonly startedAt: number
  count: number
}

export class Throttle {
  private readonly clock: Clock
  private readonly windows = new Map<string, Window>()
  private readonly onThrottled: (peer: string) => void
  private auditWindow: Window

  constructor(clock: Clock, onThrottled: (peer: string) => void = () => {}) {
    this.clock = clock
    this.onThrottled = onThrottled
    this.auditWindow = { startedAt: clock.monotonic(), count: 0 }
  }

  /** Counts one wrong token; throws TOO_MANY above the limit. */
  recordFailure(address: string): void {
    const now = this.clock.monotonic()
    const peer = peerOf(address)
    const known = this.windows.get(peer)
    const window = known && isOpen(known, now) ? known : { startedAt: now, count: 0 }
    window.count += 1
    if (window !== known) this.track(peer, window, now)
    if (window.count <= MAX_FAILURES) return
    if (window.count === MAX_FAILURES + 1 && this.mayAudit()) this.onThrottled(peer)
    const retryAfterMs = Math.ceil(window.startedAt + WINDOW_MS - now)
    throw new QueueError(
      'TOO_MANY',
      `Too many wrong tokens from ${peer}; try again in ${Math.ceil(retryAfterMs / SECOND)} s, or send a right one.`,
      { retryAfterMs },
    )
  }

  /** False once MAX_AUDIT_ENTRIES were written in this window, so that unauthenticated clients cannot flood the audit trail. */
  mayAudit(): boolean {
    const now = this.clock.monotonic()
    if (!isOpen(this.auditWindow, now)) this.auditWindow = { startedAt: now, count: 0 }
    this.auditWindow.count += 1
    return this.auditWindow.count <= MAX_AUDIT_ENTRIES
  }

  /** Number of tracked addresses, for tests. */
  get size(): number {
    return this.windows.size
  }

  /** Map order is age: the oldest window comes first. */
  private track(peer: string, window: Window, now: number): void {
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

/** A client with one IPv6 address usually controls its whole /64, so addresses are counted per /64. */
export function peerOf(address: string): string {
  if (!isIPv6(address)) return address
  const [head = '', tail] = address.replace(/%.*/, '').split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail ? tail.split(':') : []
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length)
  const groups = [...left, ...Array<string>(zeros).fill('0'), ...right].slice(0, 4)
  return `${groups.map((group) => (Number.parseInt(group, 16) || 0).toString(16)).join(':')}::/64`
}

/** Heartbeats from a thread shared by all workers on one queue, with its message protocol. */
import type { Worker } from 'node:worker_threads'
import type { Address } from '../../../shared/queue.ts'
import { systemClock } from '../../base/clock.ts'
import { startThread } from '../../base/threads.ts'
import { threadFailsAt } from './attempt-timeouts.ts'
import { EMPTY_REPORT, type HeartbeatOptions, type HeartbeatReport, type Heartbeats } from './heartbeats.ts'
import { LeaseDeadlines } from './lease-deadlines.ts'
import { type Lease, LeaseSet } from './lease-set.ts'
import { SharedLeases } from './shared-leases.ts'
import { CHECK_EVERY_MS } from './shared-timeouts.ts'

export interface ThreadData {
  readonly address: Address
}

export interface HeartbeatSettings extends Pick<HeartbeatOptions, 'worker' | 'leaseMs' | 'beatMs' | 'abortAfterMs'> {
  /** Leases may wait: the thread releases those that wait too long. */
  readonly mayWait?: boolean
}
export type HeartbeatListener = Pick<HeartbeatOptions, 'onHeartbeat' | 'onError'>

/** `member` identifies one of the workers that share the thread. */
export type ToThread =
  | {
      readonly kind: 'begin'
      readonly member: number
      readonly settings: HeartbeatSettings
      /** The memory of `SharedLeases`. */
      readonly leases: SharedArrayBuffer
    }
  /** An attempt with a timeout is in the shared memory: `at` is monotonic. */
  | { readonly kind: 'check'; readonly member: number; readonly at: number }
  /** For leases that do not fit into the shared memory. */
  | {
      readonly kind: 'hold'
      readonly member: number
      readonly lease: Lease
      readonly confirmedAt: number
      readonly timeoutMs: number | null
      /** The start of `timeoutMs`. */
      readonly startedAt: number
    }
  | { readonly kind: 'drop'; readonly member: number; readonly lease: Lease }
  | { readonly kind: 'end'; readonly member: number }
  | { readonly kind: 'close' }

export type FromThread =
  | { readonly kind: 'begun' | 'ended'; readonly member: number }
  | { readonly kind: 'report'; readonly member: number; readonly report: HeartbeatReport }
  | { readonly kind: 'error'; readonly member: number; readonly message: string }

/** The timeout of a held attempt, sent again to a restarted thread. */
interface HeldTimeout extends Lease {
  readonly startedAt: number
  readonly timeoutMs: number | null
}

interface Member extends HeartbeatListener {
  readonly settings: HeartbeatSettings
  readonly shared: SharedLeases
  /** Leases that were sent as messages. */
  readonly held: LeaseDeadlines
  readonly timeouts: LeaseSet<HeldTimeout>
  /** Watches the deadlines while the thread is down. */
  substitute: LeaseDeadlines | null
  readonly begun: () => void
  readonly ended: () => void
  /** The thread checks the timeouts in the shared memory at this time, and regularly; null: not yet. */
  checkAt: number | null
  /** Waits for a response of the thread, which keeps the process alive until then. */
  isWaiting: boolean
  isEnding: boolean
}

/** The entry file of the thread in the build. */
export const HEARTBEAT_THREAD = 'server/sdk/heartbeat-thread'

/** Delay before a crashed thread is restarted. */
const RESTART_MS = 500

/** By queue address. */
const threads = new Map<string, HeartbeatThread>()

export function heartbeatsInThread(
  { address, ...settings }: ThreadData & HeartbeatSettings,
  listener: HeartbeatListener,
): Heartbeats {
  const key = JSON.stringify([process.cwd(), address.url, address.token])
  const thread = threads.get(key) ?? new HeartbeatThread(address)
  threads.set(key, thread)
  // The next worker starts a new thread instead of joining one that is ending.
  const onLastStop = () => threads.get(key) === thread && threads.delete(key)
  return thread.join(settings, listener, onLastStop)
}

class HeartbeatThread {
  private readonly address: Address
  private readonly members = new Map<number, Member>()
  private thread: Worker | null = null
  private joined = 0

  constructor(address: Address) {
    this.address = address
    this.start()
  }

  /** `onLastStop` is called when all members are stopping. */
  join(settings: HeartbeatSettings, listener: HeartbeatListener, onLastStop: () => void): Heartbeats {
    const id = this.joined++
    const shared = new SharedLeases()
    const held = new LeaseDeadlines({ clock: systemClock, afterMs: null, onExpired: () => {} })
    const timeouts = new LeaseSet<HeldTimeout>()
    let [begun, ended] = [() => {}, () => {}]
    const ready = new Promise<void>((resolve) => {
      begun = resolve
    })
    const over = new Promise<void>((resolve) => {
      ended = resolve
    })
    const member: Member = {
      ...{ ...listener, settings, shared, held, timeouts, begun, ended, substitute: null },
      ...{ checkAt: null, isWaiting: true, isEnding: false },
    }
    this.members.set(id, member)
    this.post({ kind: 'begin', member: id, settings, leases: shared.buffer })
    this.keepAlive()
    return {
      ready,
      hold: (lease, confirmedAt, timeoutMs = null) => {
        member.substitute?.hold(lease, confirmedAt)
        const failAt = timeoutMs === null ? null : threadFailsAt(confirmedAt, timeoutMs)
        if (shared.hold(lease, confirmedAt, { timeoutMs: timeoutMs ?? 0, failAt: failAt ?? 0 })) {
          if (failAt !== null) this.checkAt(id, member, failAt)
          return
        }
        held.hold(lease, confirmedAt)
        timeouts.add({ ...lease, startedAt: confirmedAt, timeoutMs })
        this.post({ kind: 'hold', member: id, lease, confirmedAt, timeoutMs, startedAt: confirmedAt })
      },
      wait: (lease, confirmedAt) => {
        if (!shared.wait(lease, confirmedAt, systemClock.monotonic())) return false
        member.substitute?.hold(lease, confirmedAt)
        return true
      },
      take: (lease) => shared.take(lease),
      drop: (lease) => {
        member.substitute?.drop(lease)
        if (shared.drop(lease)) return
        held.drop(lease)
        timeouts.delete(lease)
        this.post({ kind: 'drop', member: id, lease })
      },
      stop: () => {
        member.isEnding = true
        member.isWaiting = true
        this.post({ kind: 'end', member: id })
        this.keepAlive()
        if ([...this.members.values()].every(({ isEnding }) => isEnding)) onLastStop()
        if (!this.thread) this.leave(id)
        return over
      },
    }
  }

  /** Sends a message for the first attempt with a timeout, and for one that is due before the next regular check. */
  private checkAt(id: number, member: Member, at: number): void {
    const now = systemClock.monotonic()
    const { checkAt } = member
    // The attempt is in the shared memory already, so a later check finds it.
    if (checkAt !== null && (at - now >= CHECK_EVERY_MS || (now < checkAt && checkAt <= at))) return
    member.checkAt = at
    this.post({ kind: 'check', member: id, at })
  }

  /** A crashed thread is restarted, because leases expire without heartbeats. Its error goes to all members. */
  private start(): void {
    const thread = startThread(HEARTBEAT_THREAD, { address: this.address })
    this.thread = thread
    thread.on('error', (error) => {
      for (const { onError } of this.members.values()) onError(error)
    })
    thread.on('message', (message: FromThread) => this.onMessage(message))
    thread.once('exit', () => {
      this.thread = null
      for (const [id, { isEnding }] of this.members) if (isEnding) this.leave(id)
      for (const member of this.members.values()) watchDeadlines(member)
      if (this.members.size > 0) systemClock.after(RESTART_MS, () => this.restart())
    })
  }

  private restart(): void {
    if (this.members.size === 0) return
    this.start()
    for (const [member, joined] of this.members) {
      const { settings, shared, held, timeouts } = joined
      joined.checkAt = null
      shared.writeConfirmations()
      this.post({ kind: 'begin', member, settings, leases: shared.buffer })
      for (const { id, version, confirmedAt } of held.values()) {
        const lease = { id, version }
        const { startedAt = confirmedAt, timeoutMs = null } = timeouts.get(lease) ?? {}
        this.post({ kind: 'hold', member, lease, confirmedAt, timeoutMs, startedAt })
      }
    }
    this.keepAlive()
  }

  private onMessage(message: FromThread): void {
    const member = this.members.get(message.member)
    if (!member) return
    if (message.kind === 'report') {
      for (const lease of message.report.confirmed) {
        member.shared.confirm(lease, message.report.confirmedAt)
        member.held.confirm(lease, message.report.confirmedAt)
      }
      member.onHeartbeat(message.report)
    } else if (message.kind === 'error') member.onError(new Error(message.message))
    else if (message.kind === 'ended') {
      // The last member waits for the exit of the thread, which has the queue open until then.
      if (this.members.size > 1) this.leave(message.member)
      else this.post({ kind: 'close' })
    } else {
      member.isWaiting = member.isEnding
      member.substitute?.stop()
      member.substitute = null
      member.begun()
      this.keepAlive()
    }
  }

  private leave(id: number): void {
    const member = this.members.get(id)
    member?.substitute?.stop()
    member?.ended()
    this.members.delete(id)
    this.keepAlive()
  }

  /** Idle workers must not keep their process alive. */
  private keepAlive(): void {
    if ([...this.members.values()].some(({ isWaiting }) => isWaiting)) this.thread?.ref()
    else this.thread?.unref()
  }

  private post(message: ToThread): void {
    this.thread?.postMessage(message)
  }
}

/** Watches the deadlines of a member until the thread runs again. */
function watchDeadlines(member: Member): void {
  const { settings, shared, held, onHeartbeat } = member
  const onExpired = (expired: readonly Lease[]) => onHeartbeat({ ...EMPTY_REPORT, expired })
  member.substitute ??= new LeaseDeadlines({ clock: systemClock, afterMs: settings.abortAfterMs, onExpired })
  for (const { confirmedAt, ...lease } of [...shared.values(), ...held.values()]) {
    member.substitute.hold(lease, confirmedAt)
  }
}

/** Heartbeats from a thread that all workers on a queue share, and the words between it and them. */
import type { Worker } from 'node:worker_threads'
import { systemClock } from '../../base/clock.ts'
import { startThread } from '../../base/threads.ts'
import type { Address } from '../../queue/queue.ts'
import { EMPTY_PULSE, type HeartbeatParts, type Heartbeats, type Pulse } from './heartbeats.ts'
import { LeaseDeadlines } from './lease-deadlines.ts'
import { type Lease, LeaseSet } from './lease-set.ts'

export interface ThreadData {
  readonly address: Address
}

export type Rhythm = Pick<HeartbeatParts, 'worker' | 'leaseMs' | 'beatMs' | 'abortAfterMs'>
export type Heard = Pick<HeartbeatParts, 'onPulse' | 'onError'>

/** `member` is one worker of those that share the thread. */
export type ToThread =
  | { readonly kind: 'begin'; readonly member: number; readonly rhythm: Rhythm }
  | {
      readonly kind: 'hold'
      readonly member: number
      readonly lease: Lease
      readonly confirmedAt: number
      readonly timeoutMs: number | null
      /** What `timeoutMs` counts from. */
      readonly startedAt: number
    }
  | { readonly kind: 'drop'; readonly member: number; readonly lease: Lease }
  | { readonly kind: 'end'; readonly member: number }
  | { readonly kind: 'close' }

export type FromThread =
  | { readonly kind: 'begun' | 'ended'; readonly member: number }
  | { readonly kind: 'pulse'; readonly member: number; readonly pulse: Pulse }
  | { readonly kind: 'error'; readonly member: number; readonly message: string }

/** The timeout of a held attempt, which the thread needs again when it is restarted. */
interface HeldTimeout extends Lease {
  readonly startedAt: number
  readonly timeoutMs: number | null
}

interface Member extends Heard {
  readonly rhythm: Rhythm
  readonly held: LeaseDeadlines
  readonly timeouts: LeaseSet<HeldTimeout>
  /** Watches the deadlines while there is no thread that could. */
  substitute: LeaseDeadlines | null
  readonly begun: () => void
  readonly ended: () => void
  /** It waits for an answer of the thread, which keeps the process alive until then. */
  isWaiting: boolean
  isEnding: boolean
}

/** Its file, in the build. */
export const HEARTBEAT_THREAD = 'server/worker/heartbeats/heartbeat-thread'

/** Before a thread that died is started again. */
const RESTART_MS = 500

/** By the address of their queue. */
const threads = new Map<string, HeartbeatThread>()

export function heartbeatsInThread({ address, ...rhythm }: ThreadData & Rhythm, heard: Heard): Heartbeats {
  const key = JSON.stringify([process.cwd(), address.url, address.token])
  const thread = threads.get(key) ?? new HeartbeatThread(address)
  threads.set(key, thread)
  // The next worker begins with a thread of its own rather than with one that ends.
  const onDeserted = () => threads.get(key) === thread && threads.delete(key)
  return thread.join(rhythm, heard, onDeserted)
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

  /** `onDeserted`: nobody is left who would go on. */
  join(rhythm: Rhythm, heard: Heard, onDeserted: () => void): Heartbeats {
    const id = this.joined++
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
      ...{ ...heard, rhythm, held, timeouts, begun, ended, substitute: null },
      ...{ isWaiting: true, isEnding: false },
    }
    this.members.set(id, member)
    this.tell({ kind: 'begin', member: id, rhythm })
    this.keepAlive()
    return {
      ready,
      hold: (lease, confirmedAt, timeoutMs = null) => {
        held.hold(lease, confirmedAt)
        timeouts.add({ ...lease, startedAt: confirmedAt, timeoutMs })
        member.substitute?.hold(lease, confirmedAt)
        this.tell({ kind: 'hold', member: id, lease, confirmedAt, timeoutMs, startedAt: confirmedAt })
      },
      drop: (lease) => {
        held.drop(lease)
        timeouts.delete(lease)
        member.substitute?.drop(lease)
        this.tell({ kind: 'drop', member: id, lease })
      },
      stop: () => {
        member.isEnding = true
        member.isWaiting = true
        this.tell({ kind: 'end', member: id })
        this.keepAlive()
        if ([...this.members.values()].every(({ isEnding }) => isEnding)) onDeserted()
        if (!this.thread) this.leave(id)
        return over
      },
    }
  }

  /** A thread that cannot open the queue, or dies, says why; leases without a keeper would end one by one. */
  private start(): void {
    const one = startThread(HEARTBEAT_THREAD, { address: this.address })
    this.thread = one
    one.on('error', (error) => {
      for (const { onError } of this.members.values()) onError(error)
    })
    one.on('message', (message: FromThread) => this.hear(message))
    one.once('exit', () => {
      this.thread = null
      for (const [id, { isEnding }] of this.members) if (isEnding) this.leave(id)
      for (const member of this.members.values()) watchDeadlines(member)
      if (this.members.size > 0) systemClock.after(RESTART_MS, () => this.restart())
    })
  }

  private restart(): void {
    if (this.members.size === 0) return
    this.start()
    for (const [member, { rhythm, held, timeouts }] of this.members) {
      this.tell({ kind: 'begin', member, rhythm })
      for (const { id, version, confirmedAt } of held.values()) {
        const lease = { id, version }
        const { startedAt = confirmedAt, timeoutMs = null } = timeouts.get(lease) ?? {}
        this.tell({ kind: 'hold', member, lease, confirmedAt, timeoutMs, startedAt })
      }
    }
    this.keepAlive()
  }

  private hear(message: FromThread): void {
    const member = this.members.get(message.member)
    if (!member) return
    if (message.kind === 'pulse') {
      for (const lease of message.pulse.confirmed) member.held.confirm(lease, message.pulse.confirmedAt)
      member.onPulse(message.pulse)
    } else if (message.kind === 'error') member.onError(new Error(message.message))
    else if (message.kind === 'ended') {
      // The last one waits for the thread itself, which has the queue open until then.
      if (this.members.size > 1) this.leave(message.member)
      else this.tell({ kind: 'close' })
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

  /** Workers that have nothing to do must not keep their process alive. */
  private keepAlive(): void {
    if ([...this.members.values()].some(({ isWaiting }) => isWaiting)) this.thread?.ref()
    else this.thread?.unref()
  }

  private tell(message: ToThread): void {
    this.thread?.postMessage(message)
  }
}

/** Until a thread runs again: its own deadlines ended with it. */
function watchDeadlines(member: Member): void {
  const { rhythm, held, onPulse } = member
  const onExpired = (expired: readonly Lease[]) => onPulse({ ...EMPTY_PULSE, expired })
  member.substitute ??= new LeaseDeadlines({ clock: systemClock, afterMs: rhythm.abortAfterMs, onExpired })
  for (const { confirmedAt, ...lease } of held.values()) member.substitute.hold(lease, confirmedAt)
}

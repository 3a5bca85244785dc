/** Heartbeats from a thread of their own, and the words between it and its worker. */
import type { Worker } from 'node:worker_threads'
import { systemClock } from './clock.ts'
import type { Address } from './queue/queue.ts'
import { startThread } from './start-thread.ts'
import type { Heartbeats, Lease, Pulse } from './worker/heartbeats.ts'

export interface ThreadData {
  readonly address: Address
  readonly worker: string
  readonly leaseMs: number
  readonly beatMs: number
}

export type ToThread = { readonly kind: 'hold' | 'drop'; readonly lease: Lease } | { readonly kind: 'stop' }

export type FromThread =
  | { readonly kind: 'ready' }
  | { readonly kind: 'pulse'; readonly pulse: Pulse }
  | { readonly kind: 'error'; readonly message: string }

export interface Heard {
  readonly onPulse: (pulse: Pulse) => void
  readonly onError: (error: unknown) => void
}

/** Before a thread that died is started again. */
const RESTART_MS = 500

export function heartbeatsInThread(data: ThreadData, { onPulse, onError }: Heard): Heartbeats {
  const held = new Map<string, Lease>()
  let isStopped = false
  let isReady = () => {}
  let isEnded = () => {}
  const ready = new Promise<void>((resolve) => {
    isReady = resolve
  })
  const ended = new Promise<void>((resolve) => {
    isEnded = resolve
  })
  let thread: Worker | null = null
  const tell = (message: ToThread) => thread?.postMessage(message)

  /** A thread that cannot open the queue, or dies, says why; leases without a keeper would end one by one. */
  function start(): void {
    if (isStopped) return
    const one = startThread(new URL('./heartbeat-thread', import.meta.url), data)
    thread = one
    one.on('error', onError)
    one.on('message', (message: FromThread) => {
      if (message.kind === 'pulse') onPulse(message.pulse)
      else if (message.kind === 'error') onError(new Error(message.message))
      else {
        isReady()
        // A worker that has nothing to do must not keep its process alive.
        if (!isStopped) one.unref()
      }
    })
    one.once('exit', () => {
      thread = null
      if (isStopped) isEnded()
      else systemClock.after(RESTART_MS, start)
    })
    for (const lease of held.values()) tell({ kind: 'hold', lease })
  }

  start()
  return {
    ready,
    hold(lease) {
      held.set(lease.id, lease)
      tell({ kind: 'hold', lease })
    },
    drop(lease) {
      if (held.get(lease.id)?.version === lease.version) held.delete(lease.id)
      tell({ kind: 'drop', lease })
    },
    async stop() {
      isStopped = true
      if (!thread) return
      tell({ kind: 'stop' })
      thread.ref()
      await ended
    },
  }
}

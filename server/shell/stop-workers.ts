/** `queuectl worker stop`: drains workers, wherever they run, and waits until they are idle. */
import type { Queue } from '../../shared/queue.ts'
import type { Clock } from '../base/clock.ts'
import { groupOf, isNamed } from './worker-names.ts'

export interface StopOptions {
  /** The name of one worker or of a group; null: every shell worker. */
  readonly name: string | null
  readonly actor: string
  readonly clock: Clock
  /** Ends the wait; the drain continues. */
  readonly signal: AbortSignal
}

export interface StoppedWorker {
  readonly name: string
  /** Jobs that still run. */
  readonly processing: number
}

/** A worker without a heartbeat for this long is offline. */
const OFFLINE_MS = 60_000
const POLL_MS = 250

/** Returns the drained workers when none of their jobs runs any more, or on abort. */
export async function stopWorkers(queue: Queue, options: StopOptions): Promise<readonly StoppedWorker[]> {
  const { clock, signal, actor } = options
  const drained = new Set<string>()
  const groups = new Set<string>()
  for (;;) {
    const workers = await queue.workers()
    // Later rounds find workers of the same group that a supervisor has restarted meanwhile.
    const matches = drained.size === 0 ? matcherOf(options) : (name: string) => groups.has(groupOf(name) ?? '')
    const isOnline = ({ seenAt }: { readonly seenAt: number }) => clock.now() - seenAt < OFFLINE_MS
    const more = workers.filter(
      (worker) => matches(worker.name) && worker.drainRequestedAt === null && isOnline(worker),
    )
    for (const { name } of more) {
      await queue.drainWorker({ worker: name, actor })
      drained.add(name)
      if (name !== options.name) groups.add(groupOf(name) ?? name)
    }
    const left = workers.filter(({ name }) => drained.has(name))
    // A worker may claim one more job before it notices the drain, so new drains are checked again.
    // Jobs of an offline worker are not waited for: without background services they stay leased.
    const isDone = more.length === 0 && left.every((worker) => worker.processing === 0 || !isOnline(worker))
    if (isDone || signal.aborted) return left.map(({ name, processing }) => ({ name, processing }))
    if (more.length === 0) await new Promise<void>((resolve) => clock.after(POLL_MS, resolve, true))
  }
}

function matcherOf({ name: given }: StopOptions): (name: string) => boolean {
  return given === null ? (name) => groupOf(name) !== null : (name) => isNamed(name, given)
}

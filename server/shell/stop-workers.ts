/** `worker stop`: asks workers to finish what they have and take no more, wherever they run, and waits until they have. */
import type { Clock } from '../base/clock.ts'
import type { Queue } from '../queue/queue.ts'
import { groupOf, isNamed } from './worker-names.ts'

export interface StopOptions {
  /** The name of one worker, or of all that were started together; null: every shell worker. */
  readonly name: string | null
  readonly actor: string
  readonly clock: Clock
  /** Gives up waiting, not the drain. */
  readonly signal: AbortSignal
}

export interface StoppedWorker {
  readonly name: string
  /** Jobs that it still runs. */
  readonly processing: number
}

/** Longer silent than this, a worker is no longer there. */
const SILENT_MS = 60_000
const LOOK_MS = 250

/** Gives the workers as they are when nothing of theirs runs any more, or when the signal comes. */
export async function stopWorkers(queue: Queue, options: StopOptions): Promise<readonly StoppedWorker[]> {
  const { clock, signal, actor } = options
  const drained = new Set<string>()
  const groups = new Set<string>()
  for (;;) {
    const workers = await queue.workers()
    // Looking again is for those that their supervisor started meanwhile.
    const isMeant = drained.size === 0 ? isMeantBy(options) : (name: string) => groups.has(groupOf(name) ?? '')
    const isThere = ({ seenAt }: { readonly seenAt: number }) => clock.now() - seenAt < SILENT_MS
    const more = workers.filter((one) => isMeant(one.name) && one.drainRequestedAt === null && isThere(one))
    for (const { name } of more) {
      await queue.drainWorker({ worker: name, actor })
      drained.add(name)
      if (name !== options.name) groups.add(groupOf(name) ?? name)
    }
    const left = workers.filter(({ name }) => drained.has(name))
    // Until it is drained a worker may take another job: who was just drained is looked at again.
    // What a dead one held stays with it where nobody does the upkeep: that is not waited for.
    const isOver = more.length === 0 && left.every((one) => one.processing === 0 || !isThere(one))
    if (isOver || signal.aborted) return left.map(({ name, processing }) => ({ name, processing }))
    if (more.length === 0) await new Promise<void>((resolve) => clock.after(LOOK_MS, resolve, true))
  }
}

function isMeantBy({ name: asked }: StopOptions): (name: string) => boolean {
  return asked === null ? (name) => groupOf(name) !== null : (name) => isNamed(name, asked)
}

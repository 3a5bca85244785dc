/** Types whose jobs wait although no worker that is online takes them. */
import { SECOND } from '../../../shared/limits.ts'
import type { Kind, StatusCounts } from '../../../shared/status.ts'
import { signsOf } from '../../../shared/worker-reports.ts'

/** A worker that has just begun may not be in the list yet. */
const PATIENCE_MS = 10 * SECOND

interface WorkerFacts {
  /** Empty: every type of kind `job`. */
  readonly types: readonly string[]
  readonly seenAt: number
  readonly drainRequestedAt: number | null
}

interface ReadyFacts {
  readonly byType: Readonly<Record<string, StatusCounts>>
  readonly oldestReadyMsByType: Readonly<Record<string, number>>
}

interface TypeFacts {
  readonly name: string
  readonly kind: Kind
  readonly effective: { readonly paused: boolean }
}

/** Types that have been ready for a while and that no worker names. Which of them matter, their kinds and pauses tell. */
export function unnamed(ready: ReadyFacts, workers: readonly WorkerFacts[], now: number): readonly string[] {
  const named = new Set(takers(workers, now).flatMap(({ types }) => types))
  return Object.entries(ready.oldestReadyMsByType)
    .filter(([name, ms]) => ms >= PATIENCE_MS && (ready.byType[name]?.pending ?? 0) > 0 && !named.has(name))
    .map(([name]) => name)
}

/** Leaves out messages, which are fetched on demand, and paused types, which wait on purpose. */
export function untaken(
  names: readonly string[],
  types: readonly TypeFacts[],
  workers: readonly WorkerFacts[],
  now: number,
): readonly string[] {
  const isAnyTaken = takers(workers, now).some((worker) => worker.types.length === 0)
  const known = new Map(types.map((type) => [type.name, type]))
  return names.filter((name) => {
    const type = known.get(name)
    if (!type || type.effective.paused) return false
    return type.kind === 'command' || (type.kind === 'job' && !isAnyTaken)
  })
}

/** A worker whose reports are missing counts as offline before the server is sure that it is gone. */
export function isOnline(worker: { readonly seenAt: number }, now: number): boolean {
  return signsOf(worker, now) === 'reporting'
}

function takers(workers: readonly WorkerFacts[], now: number): readonly WorkerFacts[] {
  return workers.filter(({ seenAt, drainRequestedAt }) => drainRequestedAt === null && isOnline({ seenAt }, now))
}

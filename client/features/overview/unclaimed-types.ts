/** Types with waiting jobs that no online worker claims. */
import { SECOND } from '../../../shared/limits.ts'
import { livenessOf } from '../../../shared/stats/worker-liveness.ts'
import type { Kind, StatusCounts } from '../../../shared/status.ts'

/** A worker that has just started may not be in the list yet. */
const GRACE_MS = 10 * SECOND

interface WorkerInfo {
  /** Empty: all types of kind `job`. */
  readonly types: readonly string[]
  readonly seenAt: number
  readonly drainRequestedAt: number | null
}

interface ReadyStats {
  readonly byType: Readonly<Record<string, StatusCounts>>
  readonly oldestReadyMsByType: Readonly<Record<string, number>>
}

interface TypeInfo {
  readonly name: string
  readonly kind: Kind
  readonly effective: { readonly paused: boolean }
}

/** Types with jobs that are ready for a while and that no worker lists. `unclaimed` filters them by kind and pause. */
export function unlisted(ready: ReadyStats, workers: readonly WorkerInfo[], now: number): readonly string[] {
  const listed = new Set(claimers(workers, now).flatMap(({ types }) => types))
  return Object.entries(ready.oldestReadyMsByType)
    .filter(([name, ms]) => ms >= GRACE_MS && (ready.byType[name]?.pending ?? 0) > 0 && !listed.has(name))
    .map(([name]) => name)
}

/** Excludes message types, which are fetched on demand, and paused types. */
export function unclaimed(
  names: readonly string[],
  types: readonly TypeInfo[],
  workers: readonly WorkerInfo[],
  now: number,
): readonly string[] {
  const isAnyTypeClaimed = claimers(workers, now).some((worker) => worker.types.length === 0)
  const known = new Map(types.map((type) => [type.name, type]))
  return names.filter((name) => {
    const type = known.get(name)
    if (!type || type.effective.paused) return false
    return type.kind === 'command' || (type.kind === 'job' && !isAnyTypeClaimed)
  })
}

/** A worker without recent heartbeats counts as offline before the server declares it lost. */
export function isOnline(worker: { readonly seenAt: number }, now: number): boolean {
  return livenessOf(worker, now) === 'reporting'
}

function claimers(workers: readonly WorkerInfo[], now: number): readonly WorkerInfo[] {
  return workers.filter(({ seenAt, drainRequestedAt }) => drainRequestedAt === null && isOnline({ seenAt }, now))
}

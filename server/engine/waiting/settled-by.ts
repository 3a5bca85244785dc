/** The workers whose jobs a commit settled: their idle processes may now take jobs with crashes. */
import type { Change, Commit } from '../../store/store.ts'
import type { WorkerRegistry } from '../services/worker-registry.ts'

export function settles({ changes }: Commit): boolean {
  return changes.some(isSettle)
}

/** The workers that held the jobs, and their processes; null: unknown, because a release does not name its worker. */
export function settledBy({ changes, measures }: Commit, registry: WorkerRegistry): ReadonlySet<string> | null {
  const holders = new Set<string>()
  for (const [index, change] of changes.entries()) {
    if (!isSettle(change)) continue
    const worker = measures[index]?.worker ?? null
    if (worker === null) return null
    holders.add(worker).add(registry.processOf(worker) ?? worker)
  }
  return holders
}

function isSettle({ from, to }: Change): boolean {
  return from === 'processing' && to !== 'processing'
}

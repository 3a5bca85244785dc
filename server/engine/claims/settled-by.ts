/** Whose jobs a commit settled, for claims that wait until their process runs nothing. */
import type { Change, Commit } from '../../store/store.ts'
import type { WorkerRegistry } from '../services/worker-registry.ts'

export function settles({ changes }: Commit): boolean {
  return changes.some(isSettle)
}

/** The workers that had the jobs, and their processes; null: not known, because a release does not name its worker. */
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

/** Session storage of bulk operations that are active or can still be undone, for reloads. */
import { basePath } from '../../lib/routes.ts'

export interface StoredBulk {
  readonly id: string
  /** Number of jobs at the start; null: unknown. */
  readonly total: number | null
  /** End of the undo offer by this browser's clock; null: the operation has not ended. */
  readonly undoUntil: number | null
}

const storageKey = () => `millrace.bulks ${basePath()}`

export function storeBulks(all: Iterable<StoredBulk>): void {
  try {
    sessionStorage.setItem(storageKey(), JSON.stringify([...all].filter(isCurrent)))
  } catch {
    // Storage is blocked: after a reload the operations continue without being followed.
  }
}

export function readStoredBulks(): readonly StoredBulk[] {
  try {
    const all: unknown = JSON.parse(sessionStorage.getItem(storageKey()) ?? '[]')
    return Array.isArray(all) ? all.filter(isStoredBulk).filter(isCurrent) : []
  } catch {
    return []
  }
}

function isCurrent({ undoUntil }: StoredBulk): boolean {
  return undoUntil === null || undoUntil > Date.now()
}

function isStoredBulk(one: unknown): one is StoredBulk {
  if (typeof one !== 'object' || one === null || !('id' in one && 'total' in one && 'undoUntil' in one)) return false
  const isNumber = (value: unknown) => value === null || typeof value === 'number'
  return typeof one.id === 'string' && isNumber(one.total) && isNumber(one.undoUntil)
}

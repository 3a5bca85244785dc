/** What a tab remembers of its bulk operations through a reload: those under way, and those that can still be undone. */
import { basePath } from '../../../lib/routes.ts'

export interface Remembered {
  readonly id: string
  /** How many there were to do at the start; null: not known. */
  readonly total: number | null
  /** Until when an undo was offered, by this browser's clock; null: it is not over yet. */
  readonly undoUntil: number | null
}

const nameOf = () => `millrace.bulks ${basePath()}`

export function remember(all: Iterable<Remembered>): void {
  try {
    sessionStorage.setItem(nameOf(), JSON.stringify([...all].filter(isCurrent)))
  } catch {
    // Storage may be forbidden: then a reload forgets them, and they go on without being watched.
  }
}

export function remembered(): readonly Remembered[] {
  try {
    const all: unknown = JSON.parse(sessionStorage.getItem(nameOf()) ?? '[]')
    return Array.isArray(all) ? all.filter(isRemembered).filter(isCurrent) : []
  } catch {
    return []
  }
}

function isCurrent({ undoUntil }: Remembered): boolean {
  return undoUntil === null || undoUntil > Date.now()
}

function isRemembered(one: unknown): one is Remembered {
  if (typeof one !== 'object' || one === null || !('id' in one && 'total' in one && 'undoUntil' in one)) return false
  const isNumber = (value: unknown) => value === null || typeof value === 'number'
  return typeof one.id === 'string' && isNumber(one.total) && isNumber(one.undoUntil)
}

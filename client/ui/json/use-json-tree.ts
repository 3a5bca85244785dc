/** State of a JSON tree: open branches, active row and search results. */
import { useDeferredValue, useMemo, useState } from 'react'
import { find } from './find.ts'
import { keyOf } from './path.ts'
import { firstOpen, isBranch, opensTo, type Row, rowsOf, stepsOf } from './rows.ts'

const FIRST_ROWS = 60
/** Row limit of "Open all". */
const ALL_ROWS = 5_000

export function useJsonTree(value: unknown) {
  const [open, setOpen] = useState<ReadonlySet<string>>(() => firstOpen(value, FIRST_ROWS))
  const [active, setActive] = useState('')
  const [query, setQuery] = useState('')
  const [place, setPlace] = useState(0)
  const deferred = useDeferredValue(query)
  const found = useMemo(() => find(value, deferred), [value, deferred])
  const rows = useMemo(() => rowsOf(value, open), [value, open])
  const foundKey = found.length > 0 ? keyOf(found[place] ?? []) : null

  function toggle({ key, part }: Row): void {
    setActive(key)
    if (!('isOpen' in part)) return
    setOpen((known) => {
      const next = new Set(known)
      if (!next.delete(key)) next.add(key)
      return next
    })
  }

  return {
    rows,
    active,
    setActive,
    query,
    found,
    place,
    foundKey,
    toggle,
    search(text: string) {
      setQuery(text)
      setPlace(0)
    },
    /** Opens the path to the n-th match and returns its key. */
    show(nth: number): string | null {
      const path = found[(nth + found.length) % found.length]
      if (!path) return null
      setPlace((nth + found.length) % found.length)
      setOpen((known) => new Set([...known, ...opensTo(value, path)]))
      setActive(keyOf(path))
      return keyOf(path)
    },
    openAll: () => setOpen(firstOpen(value, ALL_ROWS)),
    closeAll: () => setOpen(isBranch(value) && stepsOf(value).length > 0 ? new Set(['']) : new Set()),
  }
}

export type JsonTree = ReturnType<typeof useJsonTree>

/** Index of the parent row. */
export function parentOf(rows: readonly Row[], place: number): number {
  const depth = rows[place]?.depth ?? 0
  for (let above = place - 1; above >= 0; above--) if ((rows[above]?.depth ?? 0) < depth) return above
  return place
}

/** What a JSON tree knows: which parts are open, which row is active, what was searched for and found. */
import { useDeferredValue, useMemo, useState } from 'react'
import { find } from './find.ts'
import { keyOf } from './path.ts'
import { firstOpen, isBranch, opensTo, type Row, rowsOf, stepsOf } from './rows.ts'

const FIRST_ROWS = 60
/** As many as anybody wants open at once. */
const ALL_ROWS = 5_000

export function useJsonTree(value: unknown) {
  const [open, setOpen] = useState<ReadonlySet<string>>(() => firstOpen(value, FIRST_ROWS))
  const [active, setActive] = useState('')
  const [words, setWords] = useState('')
  const [place, setPlace] = useState(0)
  const wanted = useDeferredValue(words)
  const found = useMemo(() => find(value, wanted), [value, wanted])
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
    words,
    found,
    place,
    foundKey,
    toggle,
    search(text: string) {
      setWords(text)
      setPlace(0)
    },
    /** Opens the way to the n-th thing found; answers its key. */
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

/** The row that holds this one. */
export function parentOf(rows: readonly Row[], place: number): number {
  const depth = rows[place]?.depth ?? 0
  for (let above = place - 1; above >= 0; above--) if ((rows[above]?.depth ?? 0) < depth) return above
  return place
}

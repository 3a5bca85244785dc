/** The chosen rows of one list: another filter begins with none, and keys choose like the pointer does. */
import { useCallback, useRef, useState } from 'react'
import type { LiveList } from '../list/live-list.ts'
import { chooseAll, chooseShown, extend, NO_SELECTION, type Selection, toggle } from './selection.ts'

export function useSelection(name: string, list: LiveList | undefined) {
  const [chosen, setChosen] = useState({ name, selection: NO_SELECTION })
  const selection = chosen.name === name ? chosen.selection : NO_SELECTION
  const order = list?.rows.filter(({ id }) => !list.removed.has(id)).map(({ id }) => id) ?? []
  const latest = useRef({ name, order })
  latest.current = { name, order }

  const change = useCallback((next: (selection: Selection, order: readonly string[]) => Selection) => {
    const now = latest.current
    setChosen((before) => ({
      name: now.name,
      selection: next(before.name === now.name ? before.selection : NO_SELECTION, now.order),
    }))
  }, [])

  const choose = useCallback(
    (id: string, isRange: boolean) =>
      change((before, rows) => {
        if (!rows.includes(id)) return before
        return isRange ? extend(before, id, rows) : toggle(before, id)
      }),
    [change],
  )

  return {
    selection,
    choose,
    isEveryRow: order.length > 0 && order.every((id) => selection.ids.has(id)),
    chooseShown: () => change((_, rows) => chooseShown(rows)),
    chooseAll: () => change((_, rows) => chooseAll(rows)),
    clear: () => change(() => NO_SELECTION),
  }
}

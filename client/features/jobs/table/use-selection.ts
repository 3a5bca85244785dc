/** Row selection of one list; a new filter starts with an empty selection. */
import { useCallback, useRef, useState } from 'react'
import type { LiveList } from '../../../live/live-list.ts'
import { extend, NO_SELECTION, type Selection, selectAll, selectShown, toggle } from './selection.ts'

export function useSelection(name: string, list: LiveList | undefined) {
  const [state, setState] = useState({ name, selection: NO_SELECTION })
  const selection = state.name === name ? state.selection : NO_SELECTION
  const order = list?.rows.filter(({ id }) => !list.removed.has(id)).map(({ id }) => id) ?? []
  const latest = useRef({ name, order })
  latest.current = { name, order }

  const change = useCallback((next: (selection: Selection, order: readonly string[]) => Selection) => {
    const now = latest.current
    setState((before) => ({
      name: now.name,
      selection: next(before.name === now.name ? before.selection : NO_SELECTION, now.order),
    }))
  }, [])

  const select = useCallback(
    (id: string, isRange: boolean) =>
      change((before, rows) => {
        if (!rows.includes(id)) return before
        return isRange ? extend(before, id, rows) : toggle(before, id)
      }),
    [change],
  )

  return {
    selection,
    select,
    isEveryRow: order.length > 0 && order.every((id) => selection.ids.has(id)),
    selectShown: () => change((_, rows) => selectShown(rows)),
    selectAll: () => change((_, rows) => selectAll(rows)),
    clear: () => change(() => NO_SELECTION),
  }
}

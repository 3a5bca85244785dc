/** Which rows are chosen: some of those in view, or everything that matches. */

export interface Selection {
  readonly ids: ReadonlySet<string>
  /** Everything that matches, also what is not in view. */
  readonly isAll: boolean
  /** Where a range begins. */
  readonly anchor: string | null
}

export const NO_SELECTION: Selection = { ids: new Set(), isAll: false, anchor: null }

export function toggle({ ids }: Selection, id: string): Selection {
  const next = new Set(ids)
  if (!next.delete(id)) next.add(id)
  return { ids: next, isAll: false, anchor: id }
}

/** From the row chosen last to this one, all as that one is. */
export function extend(selection: Selection, id: string, order: readonly string[]): Selection {
  const { ids, anchor } = selection
  const [from, to] = [anchor === null ? -1 : order.indexOf(anchor), order.indexOf(id)]
  if (anchor === null || from < 0 || to < 0) return toggle(selection, id)
  const range = order.slice(Math.min(from, to), Math.max(from, to) + 1)
  const next = new Set(ids)
  for (const one of range) {
    if (ids.has(anchor)) next.add(one)
    else next.delete(one)
  }
  return { ids: next, isAll: false, anchor }
}

export function chooseShown(order: readonly string[]): Selection {
  return { ids: new Set(order), isAll: false, anchor: null }
}

export function chooseAll(order: readonly string[]): Selection {
  return { ...chooseShown(order), isAll: true }
}

/** Row selection: some rows in view, or all matching jobs. */

export interface Selection {
  readonly ids: ReadonlySet<string>
  /** All matching jobs, including those not in view. */
  readonly isAll: boolean
  /** The row where a range starts. */
  readonly anchor: string | null
}

export const NO_SELECTION: Selection = { ids: new Set(), isAll: false, anchor: null }

export function toggle({ ids }: Selection, id: string): Selection {
  const next = new Set(ids)
  if (!next.delete(id)) next.add(id)
  return { ids: next, isAll: false, anchor: id }
}

/** Selects or deselects the range from the anchor to `id`, as the anchor is. */
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

export function selectShown(order: readonly string[]): Selection {
  return { ids: new Set(order), isAll: false, anchor: null }
}

export function selectAll(order: readonly string[]): Selection {
  return { ...selectShown(order), isAll: true }
}

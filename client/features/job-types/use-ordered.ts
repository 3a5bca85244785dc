/** Stable sort: re-sorts when the order or the set of types changes, not when numbers change. */
import { useState } from 'react'
import { type Order, sorted } from './sort-order.ts'
import type { TypeEntry } from './use-types.ts'

interface Sorting {
  readonly order: Order
  readonly count: number
  /** Counts had been loaded when it was sorted. */
  readonly hasNumbers: boolean
  readonly positions: ReadonlyMap<string, number>
}

export function useOrdered(
  rows: readonly TypeEntry[] | undefined,
  order: Order,
  hasNumbers: boolean,
): readonly TypeEntry[] | undefined {
  const [sorting, setSorting] = useState<Sorting | null>(null)
  if (!rows) return undefined
  if (sorting?.order !== order || sorting.count !== rows.length || sorting.hasNumbers !== hasNumbers) {
    const positions = new Map(sorted(rows, order).map(({ type }, position) => [type.name, position]))
    setSorting({ order, count: rows.length, hasNumbers, positions })
  }
  const positionOf = ({ type }: TypeEntry) => sorting?.positions.get(type.name) ?? rows.length
  return rows.toSorted((a, b) => positionOf(a) - positionOf(b))
}

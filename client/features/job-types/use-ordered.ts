/** Sorts types when the order is chosen and when types come or go, but not while their numbers move: rows must not jump. */
import { useState } from 'react'
import { type Order, sorted } from './order.ts'
import type { TypeEntry } from './use-types.ts'

interface Sorting {
  readonly order: Order
  readonly count: number
  /** Numbers were there to sort by. */
  readonly isKnown: boolean
  readonly places: ReadonlyMap<string, number>
}

export function useOrdered(
  rows: readonly TypeEntry[] | undefined,
  order: Order,
  isKnown: boolean,
): readonly TypeEntry[] | undefined {
  const [kept, setKept] = useState<Sorting | null>(null)
  if (!rows) return undefined
  if (kept?.order !== order || kept.count !== rows.length || kept.isKnown !== isKnown) {
    const places = new Map(sorted(rows, order).map(({ type }, place) => [type.name, place]))
    setKept({ order, count: rows.length, isKnown, places })
  }
  const placeOf = ({ type }: TypeEntry) => kept?.places.get(type.name) ?? rows.length
  return rows.toSorted((a, b) => placeOf(a) - placeOf(b))
}

/** Sort orders of the types list. */
import type { TypeEntry } from './use-types.ts'

export const ORDERS = ['name', 'backlog', 'oldest', 'failing'] as const
export type Order = (typeof ORDERS)[number]

export const ORDER_NAMES: Readonly<Record<Order, string>> = {
  name: 'Name',
  backlog: 'Largest backlog',
  oldest: 'Oldest waiting job',
  failing: 'Highest failure rate',
}

export function orderOf(text: string | null): Order {
  return ORDERS.find((order) => order === text) ?? 'name'
}

const RANKS: Readonly<Record<Exclude<Order, 'name'>, (entry: TypeEntry) => number>> = {
  backlog: ({ flow }) => flow.backlog.at(-1) ?? 0,
  oldest: ({ oldest }) => oldest?.ms ?? -1,
  failing: ({ flow }) => flow.failureRate ?? -1,
}

/** Stable: types of equal rank stay sorted by name. */
export function sorted(entries: readonly TypeEntry[], order: Order): readonly TypeEntry[] {
  if (order === 'name') return entries
  const rank = RANKS[order]
  return entries.toSorted((a, b) => rank(b) - rank(a))
}

/** In which order types stand: by name, or with the worst first. */
import type { TypeEntry } from './use-types.ts'

export const ORDERS = ['name', 'backlog', 'oldest', 'failing'] as const
export type Order = (typeof ORDERS)[number]

export const ORDER_NAMES: Readonly<Record<Order, string>> = {
  name: 'by name',
  backlog: 'longest backlog first',
  oldest: 'longest waiting first',
  failing: 'most failing first',
}

export function orderOf(text: string | null): Order {
  return ORDERS.find((order) => order === text) ?? 'name'
}

const WORTH: Readonly<Record<Exclude<Order, 'name'>, (entry: TypeEntry) => number>> = {
  backlog: ({ flow }) => flow.backlog.at(-1) ?? 0,
  oldest: ({ oldest }) => oldest?.ms ?? -1,
  failing: ({ flow }) => flow.failureRate ?? -1,
}

/** Equal ones stay by name, as they come. */
export function sorted(entries: readonly TypeEntry[], order: Order): readonly TypeEntry[] {
  if (order === 'name') return entries
  const worth = WORTH[order]
  return entries.toSorted((a, b) => worth(b) - worth(a))
}

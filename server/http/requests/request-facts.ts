/** What is known of a request while it is answered. */
import type { ServerResponse } from 'node:http'
import type { Caller } from '../../api/caller.ts'

export interface RequestFacts {
  readonly requestId: string
  /** How many rows the answer carried. */
  rows: number
  /** null until the guards have let it in. */
  caller: Caller | null
}

const known = new WeakMap<ServerResponse, RequestFacts>()

export function keepFacts(response: ServerResponse, facts: RequestFacts): void {
  known.set(response, facts)
}

export function factsOf(response: ServerResponse): RequestFacts {
  const facts = known.get(response)
  if (!facts) throw new Error('Nothing is known of this request.')
  return facts
}

/** One procedure of the API as a table row: its input, its response in a prepared world, its refusals. */
import { MISSING, type World } from './world.ts'

export interface Row {
  readonly kind: 'query' | 'mutation' | 'subscription'
  /** Responds with a stream, which a plain call cannot read. */
  readonly streams?: true
  /** Returns the errors of the queue as outcomes of its operations. */
  readonly hasOutcomes?: true
  /** Needs another server than the prepared one: its response is checked in a separate test. */
  readonly elsewhere?: true
  readonly input?: (world: World) => Readonly<Record<string, unknown>>
  /** The complete response data; absent when a call returns nothing. */
  readonly answer?: (world: World) => unknown
  /** An invalid input and the field that the error must name; null when it takes no input. */
  readonly bad: readonly [input: Readonly<Record<string, unknown>>, field: string] | null
  /** Input with a target that does not exist. */
  readonly missing?: Readonly<Record<string, unknown>>
  /** Needs a current claim: `input` with another version is stale. */
  readonly fenced?: true
}

const NOT_AN_ID = [{ id: 'seven' }, 'id'] as const
const ON_MISSING = { missing: { id: MISSING } }
/** Takes the id of one job or one bulk operation. */
export const about = (
  pick: (world: World) => string,
  answer: NonNullable<Row['answer']>,
  kind: Row['kind'] = 'query',
): Row => ({
  kind,
  input: (world) => ({ id: pick(world) }),
  answer,
  bad: NOT_AN_ID,
  ...ON_MISSING,
})

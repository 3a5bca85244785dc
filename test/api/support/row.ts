/** One procedure of the API as a row: how it is called, what it answers in a prepared world, what it refuses. */
import { MISSING, type World } from './world.ts'

export interface Row {
  readonly kind: 'query' | 'mutation' | 'subscription'
  /** Its answer is a stream, which a plain call cannot read. */
  readonly streams?: true
  /** Needs another server than the prepared one: its response is checked in a separate test. */
  readonly elsewhere?: true
  readonly input?: (world: World) => Readonly<Record<string, unknown>>
  /** The whole of its data; left out where a call gives nothing. */
  readonly answer?: (world: World) => unknown
  /** An input it refuses, and the field that the refusal must name; null: it takes no input. */
  readonly bad: readonly [input: Readonly<Record<string, unknown>>, field: string] | null
  /** Asks for what is not there. */
  readonly missing?: Readonly<Record<string, unknown>>
  /** Needs a current claim: `input` with another version is stale. */
  readonly fenced?: true
}

const NOT_AN_ID = [{ id: 'seven' }, 'id'] as const
const ON_MISSING = { missing: { id: MISSING } }
/** Asks about one job, or one bulk operation. */
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

/** What became of a transaction whose COMMIT was never answered: PostgreSQL knows, unless it has crashed since. */
import type { Queryable } from '../connection/open.ts'
import { troubleOf } from '../connection/postgres-errors.ts'

/** Enough to ask for a transaction later on. */
export interface Mark {
  readonly id: number
  /** When it was about to commit, by the server's own clock. */
  readonly at: number
  /** The life of the server that ran it. */
  readonly server: string
}

const SERVER = '(extract(epoch from pg_postmaster_start_time()) * 1000000)::bigint::text'

/** Asked in the transaction itself, after its last write; one that wrote nothing has no number. */
export const MARK = `SELECT pg_current_xact_id_if_assigned()::text::bigint AS id,
  floor(extract(epoch from clock_timestamp()) * 1000)::bigint AS at, ${SERVER} AS server`

/** A crash, and nothing else, gives numbers a second time: recovery from one ends with a checkpoint. */
const FATE = `SELECT pg_xact_status($1::text::xid8) AS status, ${SERVER} AS server,
  (SELECT extract(epoch from checkpoint_time) FROM pg_control_checkpoint()) < floor($2::bigint / 1000) AS quiet`

interface FateRow {
  readonly status: 'committed' | 'aborted' | 'in progress' | null
  readonly server: string
  readonly quiet: boolean
}

/** lost: not stored, or nobody can tell, so that it is to be done again. running: ask again in a moment. */
export type Fate = 'stored' | 'lost' | 'running'

export async function fateOf(queryable: Queryable, mark: Mark): Promise<Fate> {
  try {
    const { rows } = await queryable.query<FateRow>({ name: 'fate', text: FATE, values: [mark.id, mark.at] })
    const [row] = rows
    if (row?.status === 'in progress') return 'running'
    // A number that another transaction has got since says nothing of ours.
    return row?.status === 'committed' && row.quiet && row.server === mark.server ? 'stored' : 'lost'
  } catch (error) {
    // Refused: the number is one that the server has not given yet, so it has lost it in a crash.
    return troubleOf(error) === 'refused' ? 'lost' : 'running'
  }
}

/** Outcome of a transaction whose COMMIT got no response, read from PostgreSQL's transaction status. */
import type { NamedQueryable, Queryable } from '../connection/open.ts'
import { classifyError } from '../connection/postgres-errors.ts'

/** Identifies a transaction, so that its outcome can be read later. */
export interface Mark {
  readonly id: number
  /** The server's time before COMMIT. */
  readonly at: number
  /** When the server was started: identifies the run of the server. */
  readonly server: string
}

const SERVER = '(extract(epoch from pg_postmaster_start_time()) * 1000000)::bigint::text'

export const MARK_AT = `floor(extract(epoch from clock_timestamp()) * 1000)::bigint AS at, ${SERVER} AS server`

/** Read in the transaction itself, after it has locked or written a row. Another one without writes has no id. */
const MARK = `SELECT pg_current_xact_id_if_assigned()::text::bigint AS id, ${MARK_AT}`

export async function readMark(queryable: NamedQueryable): Promise<Mark | null> {
  const { rows } = await queryable.query<Mark | { readonly id: null }>({ name: 'own', text: MARK })
  const [mark] = rows
  return !mark || mark.id === null ? null : mark
}

/**
 * PostgreSQL assigns an id again only after a crash, and crash recovery ends with a checkpoint. So the status counts only if no
 * checkpoint followed.
 */
const OUTCOME = `SELECT pg_xact_status($1::text::xid8) AS status, ${SERVER} AS server,
  (SELECT extract(epoch from checkpoint_time) FROM pg_control_checkpoint()) < floor($2::bigint / 1000) AS "hasNoCheckpointSince"`

interface OutcomeRow {
  readonly status: 'committed' | 'aborted' | 'in progress' | null
  readonly server: string
  readonly hasNoCheckpointSince: boolean
}

/** lost: not stored, or unknown, so that it is done again. running: read again in a moment. */
export type CommitOutcome = 'stored' | 'lost' | 'running'

export async function commitOutcomeOf(queryable: Queryable, mark: Mark): Promise<CommitOutcome> {
  try {
    const query = { name: 'commit-outcome', text: OUTCOME, values: [mark.id, mark.at] }
    const [row] = (await queryable.query<OutcomeRow>(query)).rows
    if (row?.status === 'in progress') return 'running'
    // The id may belong to another transaction by now, unless the server is the same and there was no checkpoint.
    return row?.status === 'committed' && row.hasNoCheckpointSince && row.server === mark.server ? 'stored' : 'lost'
  } catch (error) {
    // Refused: the server has not assigned this id yet, so a crash has lost the transaction.
    return classifyError(error) === 'refused' ? 'lost' : 'running'
  }
}

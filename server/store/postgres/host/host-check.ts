/** Whether a caller's connection is to this queue's database, and may write to it. */
import { randomUUID } from 'node:crypto'
import { QueueError } from '../../../../shared/errors.ts'
import type { Connection } from '../connection/open.ts'
import type { Ask } from './host-session.ts'

export interface HostFacts {
  /** Goes before the names of tables, because the caller's search path may not find them, or find others. */
  readonly schema: string
  /** Set for the transaction alone: gone in the next statement where there is none. */
  readonly mark: string
  /** Repeatable read or serializable: what others commit meanwhile stays invisible, and a key of theirs is an error. */
  readonly seesOneMoment: boolean
}

/** Where our tables are. Servers differ in when they were started, and everybody may ask for that. */
interface Place {
  readonly server: string
  readonly database: string
  readonly schema: string
  readonly schemaId: string
}

const SERVER = '(extract(epoch from pg_postmaster_start_time()) * 1000000)::bigint::text'
const DATABASE = '(SELECT oid::text FROM pg_catalog.pg_database WHERE datname = current_database())'
const PLACE = `SELECT ${SERVER} AS server, ${DATABASE} AS database, quote_ident(n.nspname) AS schema, n.oid::text AS "schemaId"
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = 'millrace_jobs'::regclass`

const WRITTEN = `'{millrace_jobs,millrace_job_bodies,millrace_job_types,millrace_job_counts,millrace_job_minutes}'`
/** Asks for privileges by id, because asking by a name that one may not see is an error, which would end the transaction. */
const FACTS = `SELECT set_config('millrace.mark', $1, true) AS mark, ${SERVER} AS server, ${DATABASE} AS database,
  current_setting('transaction_isolation') AS isolation, current_setting('transaction_read_only') AS "readOnly",
  current_setting('synchronous_commit') AS "synchronousCommit", current_user::text AS role,
  (SELECT CASE WHEN has_schema_privilege($2::oid, 'USAGE') AND bool_and(has_table_privilege(c.oid, 'SELECT')
     AND has_table_privilege(c.oid, 'INSERT') AND has_table_privilege(c.oid, 'UPDATE')) THEN 'yes' ELSE 'no' END
   FROM pg_catalog.pg_class c WHERE c.relnamespace = $2::oid AND c.relname = ANY(${WRITTEN}::text[])) AS "mayWrite"`

interface FactsRow {
  readonly server: string
  readonly database: string
  readonly isolation: string
  readonly readOnly: string
  readonly synchronousCommit: string
  readonly role: string
  readonly mayWrite: string
}

export class HostCheck {
  private readonly connection: Connection
  private readonly onWarning: (message: string) => void
  private place: Promise<Place> | null = null
  private warned = false

  constructor(connection: Connection, onWarning: (message: string) => void) {
    this.connection = connection
    this.onWarning = onWarning
  }

  /** Writes nothing; the mark is a setting. */
  async facts(ask: Ask): Promise<HostFacts> {
    const mark = randomUUID()
    let place = await this.ours()
    const { rows } = await ask<FactsRow & { mark: string }>(FACTS, [mark, place.schemaId])
    const [host] = rows
    if (!host) throw new QueueError('STORE_FAILED', 'PostgreSQL did not say which database this transaction is on.')
    if (!isAt(host, place)) {
      // The server may have been started anew since we last asked ours.
      this.place = null
      place = await this.ours()
    }
    if (!isAt(host, place)) {
      throw new QueueError('BAD_INPUT', "This transaction is on another database than the queue's.")
    }
    refuseUnfit(host)
    this.warnOf(host)
    return {
      schema: `${place.schema}.`,
      mark,
      seesOneMoment: host.isolation === 'repeatable read' || host.isolation === 'serializable',
    }
  }

  private async ours(): Promise<Place> {
    this.place ??= this.ask()
    try {
      return await this.place
    } catch (error) {
      this.place = null
      throw error
    }
  }

  private async ask(): Promise<Place> {
    const { rows } = await this.connection.pool.query<Place>(PLACE)
    const [place] = rows
    if (!place) throw new Error("The queue's own tables were not found.")
    return place
  }

  private warnOf({ synchronousCommit }: FactsRow): void {
    if (this.warned || synchronousCommit !== 'off' || this.connection.durability !== 'full') return
    this.warned = true
    this.onWarning(
      'Jobs enqueued in a transaction of yours are as durable as that transaction, and it has synchronous_commit = off: ' +
        'a crash may lose the last of them.',
    )
  }
}

function isAt(host: FactsRow, place: Place): boolean {
  return host.server === place.server && host.database === place.database
}

function refuseUnfit({ readOnly, mayWrite, role }: FactsRow): void {
  if (readOnly !== 'off') {
    throw new QueueError('WRONG_STATE', 'This transaction is read-only; begin one that may write.')
  }
  if (mayWrite !== 'yes') {
    throw new QueueError(
      'FORBIDDEN',
      `${role} may not write to the queue's tables; grant it SELECT, INSERT and UPDATE on millrace_jobs, millrace_job_bodies, millrace_job_types, ` +
        'millrace_job_counts and millrace_job_minutes, and USAGE on their schema.',
      { role },
    )
  }
}

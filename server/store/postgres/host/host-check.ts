/** Checks that a caller's connection is on the queue's database and may write to it. */
import { randomUUID } from 'node:crypto'
import { QueueError } from '../../../../shared/errors.ts'
import type { Connection } from '../connection/open.ts'
import type { RunQuery } from './host-session.ts'

export interface HostFacts {
  /** Prefix of table names: the caller's search path may not find the tables, or find others. */
  readonly schema: string
  /** A setting of the transaction: without a transaction it is gone in the next statement. */
  readonly mark: string
  /** Repeatable read or serializable: later commits are invisible, and a duplicate key is an error. */
  readonly seesOneMoment: boolean
}

/** Location of the queue's tables. The start time identifies a server; reading it needs no privilege. */
interface TableLocation {
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
/** Checks privileges by id: a lookup by an invisible name is an error, which would abort the transaction. */
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
  private location: Promise<TableLocation> | null = null
  private warned = false

  constructor(connection: Connection, onWarning: (message: string) => void) {
    this.connection = connection
    this.onWarning = onWarning
  }

  /** Writes no rows; the mark is a setting. */
  async facts(query: RunQuery): Promise<HostFacts> {
    const mark = randomUUID()
    let location = await this.readLocation()
    const { rows } = await query<FactsRow & { mark: string }>(FACTS, [mark, location.schemaId])
    const [host] = rows
    if (!host) throw new QueueError('STORE_FAILED', 'PostgreSQL did not return the database of this transaction.')
    if (!isAt(host, location)) {
      // The server may have been restarted since the location was read.
      this.location = null
      location = await this.readLocation()
    }
    if (!isAt(host, location)) {
      throw new QueueError(
        'BAD_INPUT',
        "This transaction is on another database; use a connection to the queue's database.",
      )
    }
    assertWritable(host)
    this.warnIfUnsafe(host)
    return {
      schema: `${location.schema}.`,
      mark,
      seesOneMoment: host.isolation === 'repeatable read' || host.isolation === 'serializable',
    }
  }

  private async readLocation(): Promise<TableLocation> {
    this.location ??= this.queryLocation()
    try {
      return await this.location
    } catch (error) {
      this.location = null
      throw error
    }
  }

  private async queryLocation(): Promise<TableLocation> {
    const { rows } = await this.connection.pool.query<TableLocation>(PLACE)
    const [location] = rows
    if (!location) throw new Error("The queue's tables were not found; restart the server to create them.")
    return location
  }

  private warnIfUnsafe({ synchronousCommit }: FactsRow): void {
    if (this.warned || synchronousCommit !== 'off' || this.connection.durability !== 'full') return
    this.warned = true
    this.onWarning(
      'The transaction passed to enqueueTx has synchronous_commit = off: a crash may lose the last jobs that were enqueued ' +
        'in such transactions. Set synchronous_commit = on for them.',
    )
  }
}

function isAt(host: FactsRow, location: TableLocation): boolean {
  return host.server === location.server && host.database === location.database
}

function assertWritable({ readOnly, mayWrite, role }: FactsRow): void {
  if (readOnly !== 'off') {
    throw new QueueError('WRONG_STATE', 'This transaction is read-only; begin a read-write transaction.')
  }
  if (mayWrite !== 'yes') {
    throw new QueueError(
      'FORBIDDEN',
      `The role ${role} may not write to the queue's tables; grant it SELECT, INSERT and UPDATE on millrace_jobs, millrace_job_bodies, millrace_job_types, ` +
        'millrace_job_counts and millrace_job_minutes, and USAGE on their schema.',
      { role },
    )
  }
}

/**
 * Finds and creates the migration journal, in the schema of the queue's tables: one database may hold a queue per schema, and a role
 * needs no privilege outside its schema.
 */
import { MIGRATIONS_TABLE } from '../../../../drizzle/migrations.ts'
import { OLD_TABLES, oldLayout } from '../../schema/old-layout.ts'
import type { Queryable } from './open.ts'

/** A schema with all of these tables holds a queue. */
const TABLES = ['millrace_jobs', 'millrace_job_bodies', 'millrace_job_types', 'millrace_job_counts']

const PLACE = `SELECT current_database() AS database, quote_ident(current_schema()) AS schema,
  EXISTS (SELECT 1 FROM pg_catalog.pg_class WHERE relnamespace = n.oid AND relname = $1) AS "isThere",
  (SELECT count(*) FROM pg_catalog.pg_class WHERE relnamespace = n.oid AND relname = ANY($2::text[])) = cardinality($2::text[])
    AS "hasTables",
  (SELECT count(*) FROM pg_catalog.pg_class WHERE relnamespace = n.oid AND relname = ANY($3::text[])) = cardinality($3::text[])
    AS "hasOld"
  FROM (SELECT 1) AS one LEFT JOIN pg_catalog.pg_namespace n ON n.nspname = current_schema()`

/** A queue that is hidden by a schema with the name of the role, under the default search path. An explicit path hides nothing. */
const HIDDEN = `SELECT quote_ident(n.nspname) AS schema
  FROM pg_catalog.pg_namespace n JOIN pg_catalog.pg_class c ON c.relnamespace = n.oid
  WHERE c.relname = $1 AND n.nspname = ANY(current_schemas(false)) AND n.nspname <> current_schema()
    AND current_schema() = current_user AND current_setting('search_path') LIKE '%$user%'
  ORDER BY array_position(current_schemas(false), n.nspname) LIMIT 1`

interface Place {
  readonly database: string
  /** Null: the search path names no schema that exists and that this role may use. */
  readonly schema: string | null
  readonly isThere: boolean
  readonly hasTables: boolean
  /** Tables of a version before the first release. */
  readonly hasOld: boolean
}

export interface Journal {
  readonly table: string
  readonly isThere: boolean
}

export async function findJournal(queryable: Queryable): Promise<Journal> {
  const { table, isThere } = await find(queryable)
  return { table, isThere }
}

/** In Drizzle's format, so that drizzle-kit and the server agree on the applied migrations. */
export async function createJournal(queryable: Queryable): Promise<void> {
  const { database, schema, table, isThere, hasTables, hasOld } = await find(queryable)
  if (hasOld && !hasTables) {
    throw new Error(oldLayout(`Schema ${schema} of database ${database}`, 'give the queue another schema or database'))
  }
  if (isThere) return
  if (hasTables) {
    throw new Error(
      `Schema ${schema} has the tables of a queue, but no record of its migrations (${table}). Restore it from the backup ` +
        'that the tables came from, or give the queue an empty schema.',
    )
  }
  await refuseHidden(queryable, schema)
  await queryable.query(`CREATE TABLE ${table} (id serial PRIMARY KEY, hash text NOT NULL, created_at bigint)`)
}

/** Time of the newest applied migration; 0 if there is no migration yet. */
export async function lastApplied(queryable: Queryable, { table }: Journal): Promise<number> {
  const { rows } = await queryable.query<{ at: number | null }>(`SELECT max(created_at) AS at FROM ${table}`)
  return rows[0]?.at ?? 0
}

/** A second, empty queue would leave the jobs of the first one unclaimed. */
async function refuseHidden(queryable: Queryable, schema: string): Promise<void> {
  const { rows } = await queryable.query<{ schema: string }>(HIDDEN, [MIGRATIONS_TABLE])
  const [hidden] = rows
  if (!hidden) return
  throw new Error(
    `Schema ${hidden.schema} holds a queue, but schema ${schema}, which has the name of this role, precedes it in the search path ` +
      `and holds no queue. Nothing was created. Set the path to one of them: ALTER ROLE ${schema} SET search_path = ` +
      `${hidden.schema} for that queue, = ${schema} for another, new one.`,
  )
}

async function find(queryable: Queryable): Promise<Place & { readonly schema: string; readonly table: string }> {
  const { rows } = await queryable.query<Place>(PLACE, [MIGRATIONS_TABLE, TABLES, OLD_TABLES])
  const [place] = rows
  if (!place?.schema) {
    throw new Error(
      'The search path of this role contains no existing schema that the role may use. Create one for the queue ' +
        '(CREATE SCHEMA … AUTHORIZATION …), or set another path with ALTER ROLE … SET search_path.',
    )
  }
  return { ...place, schema: place.schema, table: `${place.schema}.${MIGRATIONS_TABLE}` }
}

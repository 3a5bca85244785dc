/** Test databases: created from a migrated template and reused, because emptying one takes 2 ms and creating one 100 ms. */
import { Client } from 'pg'
import { MIGRATIONS_TABLE } from '../../../drizzle/migrations.ts'
import { migrate } from '../../../server/store/postgres/connection/migrate.ts'
import { connectPostgres } from '../../../server/store/postgres/connection/open.ts'

/** Larger databases are dropped: deleting rows does not free their space. */
const MAX_BYTES = 8 * 1_048_576

const TABLES = `SELECT string_agg(format('delete from %I', tablename), '; ' ORDER BY tablename = 'millrace_jobs') AS sql
  FROM pg_tables WHERE schemaname = 'public' AND tablename <> '${MIGRATIONS_TABLE}'`
const RESTART = `SELECT setval(oid::regclass, 1, FALSE) FROM pg_class
  WHERE relkind = 'S' AND relnamespace = 'public'::regnamespace AND relname NOT LIKE '${MIGRATIONS_TABLE}%'`
const SIZE = `SELECT sum(pg_total_relation_size(oid))::float8 AS bytes FROM pg_class
  WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`
/** Connections that a test did not close must not disturb the next test. */
const DISCONNECT = `SELECT pg_terminate_backend(pid, 1000) FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid()`

interface Database {
  readonly name: string
  readonly client: Client
}

export class Databases {
  readonly #url: string
  readonly #admin: Client
  readonly #prefix = `millrace_test_${process.pid}`
  readonly #free: Database[] = []
  readonly #taken = new Map<string, Database | null>()
  #emptying = ''
  #made = 0

  private constructor(url: string) {
    this.#url = url
    this.#admin = connection(url)
  }

  /** `url`: any database whose user may create databases. */
  static async open(url: string): Promise<Databases> {
    const databases = new Databases(url)
    await databases.#admin.connect()
    await databases.#makeTemplate()
    return databases
  }

  /** `bare`: without any table, and dropped after use. */
  async take(bare: boolean): Promise<{ name: string; url: string }> {
    const database = bare ? null : (this.#free.pop() ?? (await this.#make()))
    const name = database?.name ?? (await this.#create('template1'))
    this.#taken.set(name, database)
    return { name, url: this.#urlOf(name) }
  }

  async give(name: string): Promise<void> {
    const database = this.#taken.get(name)
    if (database === undefined) return
    this.#taken.delete(name)
    if (database === null) return this.#drop(name)
    const { client } = database
    await client.query(DISCONNECT)
    await client.query(this.#emptying)
    await client.query(RESTART)
    const { rows } = await client.query<{ bytes: number }>(SIZE)
    if ((rows[0]?.bytes ?? 0) <= MAX_BYTES) this.#free.push(database)
    else await this.#remove(database)
  }

  async close(): Promise<void> {
    for (const database of this.#free) await this.#remove(database)
    for (const [name, database] of this.#taken) await (database ? this.#remove(database) : this.#drop(name))
    await this.#drop(`${this.#prefix}_template`)
    await this.#admin.end()
  }

  async #makeTemplate(): Promise<void> {
    const name = `${this.#prefix}_template`
    await this.#drop(name)
    await this.#admin.query(`create database ${name} template template0`)
    const { pool } = await connectPostgres(this.#urlOf(name))
    try {
      await migrate(pool)
      const { rows } = await pool.query<{ sql: string }>(TABLES)
      this.#emptying = rows[0]?.sql ?? ''
    } finally {
      await pool.end()
    }
  }

  async #make(): Promise<Database> {
    const name = await this.#create(`${this.#prefix}_template`)
    const client = connection(this.#urlOf(name))
    await client.connect()
    return { name, client }
  }

  async #create(template: string): Promise<string> {
    const name = `${this.#prefix}_${this.#made++}`
    await this.#admin.query(`create database ${name} template ${template}`)
    return name
  }

  async #remove({ name, client }: Database): Promise<void> {
    await client.end()
    await this.#drop(name)
  }

  async #drop(name: string): Promise<void> {
    await this.#admin.query(`drop database if exists ${name} with (force)`)
  }

  #urlOf(name: string): string {
    const url = new URL(this.#url)
    url.pathname = `/${name}`
    return url.href
  }
}

function connection(url: string): Client {
  const client = new Client({ connectionString: url })
  // A server that stops sends an error to all open connections.
  client.on('error', () => {})
  return client
}

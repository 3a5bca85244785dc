/** Databases for tests: made from a migrated template, then used again, because emptying one takes 2 ms and making one 100. */
import { Client } from 'pg'
import { MIGRATIONS_TABLE } from '../../../drizzle/migrations.ts'
import { migrate } from '../../../server/store/postgres/connection/migrate.ts'
import { openDatabase } from '../../../server/store/postgres/connection/open.ts'

/** Beyond, a database is dropped: deleting leaves the space in use. */
const MAX_BYTES = 8 * 1_048_576

const TABLES = `select string_agg(format('delete from %I', tablename), '; ' order by tablename = 'millrace_jobs') as sql
  from pg_tables where schemaname = 'public' and tablename <> '${MIGRATIONS_TABLE}'`
const RESTART = `select setval(oid::regclass, 1, false) from pg_class
  where relkind = 'S' and relnamespace = 'public'::regnamespace and relname not like '${MIGRATIONS_TABLE}%'`
const SIZE = `select sum(pg_total_relation_size(oid))::float8 as bytes from pg_class
  where relkind = 'r' and relnamespace = 'public'::regnamespace`
/** What a test forgot to close must not meet the next one. */
const DISCONNECT = `select pg_terminate_backend(pid, 1000) from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid()`

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

  /** `url` is of any database in which its user may create others. */
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
    const { pool } = await openDatabase(this.#urlOf(name))
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
  // A server that is stopped says so to everyone who is still connected.
  client.on('error', () => {})
  return client
}

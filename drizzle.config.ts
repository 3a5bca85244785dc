// Settings of drizzle-kit: which schema, migrations folder and database the `db:*` scripts work on.
import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { parseArgs } from 'node:util'
import { defineConfig } from 'drizzle-kit'
import { MIGRATIONS_TABLE } from './drizzle/migrations.ts'
import { processEnvironment, readConfig } from './server/base/config/config.ts'
import { loadEnvironment } from './server/base/config/environment.ts'

const MIGRATION_NAME = /^[a-z][a-z0-9_]*$/

requireMigrationName(process.argv.slice(2))
// The database that the server would open, .env included.
export default forDatabase(readConfig(loadEnvironment('.env', processEnvironment())).url)

/** One dialect at a time: `DATABASE_URL=postgres://… npm run db:generate -- --name add_x` writes PostgreSQL's migration. */
function forDatabase(url: string) {
  if (/^postgres(ql)?:/.test(url)) {
    return defineConfig({
      dialect: 'postgresql',
      schema: './drizzle/postgres/schema*.ts',
      out: './drizzle/postgres/migrations',
      migrations: { table: MIGRATIONS_TABLE, schema: journalSchema(url) },
      dbCredentials: { url },
      strict: true,
      verbose: true,
    })
  }
  const file = url.replace(/^sqlite:(\/\/)?/, '')
  // SQLite creates the file but not the folder, which a fresh clone lacks.
  mkdirSync(dirname(file), { recursive: true })
  return defineConfig({
    dialect: 'sqlite',
    schema: './drizzle/sqlite/schema*.ts',
    out: './drizzle/sqlite/migrations',
    migrations: { table: MIGRATIONS_TABLE },
    dbCredentials: { url: file },
    strict: true,
    verbose: true,
  })
}

/** Where the server keeps its journal as well: beside the tables. Asked in another process, because this file may not wait. */
function journalSchema(url: string): string {
  if (process.argv[2] !== 'migrate') return 'public'
  const program = `import pg from 'pg'
    const client = new pg.Client({ connectionString: process.env.MIGRATE_URL })
    await client.connect()
    const { rows } = await client.query('select current_schema() as schema')
    process.stdout.write(rows[0].schema ?? '')
    await client.end()`
  const found = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    env: { ...processEnvironment(), MIGRATE_URL: url },
    encoding: 'utf8',
  })
  if (found.status !== 0) refuse(`Could not read the schema from PostgreSQL: ${found.stderr}`)
  if (found.stdout === '') refuse('The search path of this role names no schema that exists; create one for the queue.')
  return found.stdout
}

// Without a name drizzle-kit generates a random one, which does not describe the migration.
function requireMigrationName(args: string[]) {
  if (args[0] !== 'generate') return
  const { name } = parseArgs({ args, options: { name: { type: 'string' } }, strict: false }).values
  if (typeof name !== 'string' || !MIGRATION_NAME.test(name)) {
    refuse('A migration needs a name in snake_case: npm run db:generate -- --name add_priority')
  }
}

function refuse(message: string): never {
  console.error(message)
  process.exit(1)
}

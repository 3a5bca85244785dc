// Settings of drizzle-kit: which schema, migrations folder and database the `db:*` scripts work on.
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { parseArgs } from 'node:util'
import { defineConfig } from 'drizzle-kit'
import { MIGRATIONS_TABLE } from './drizzle/migrations.ts'
import { processEnvironment, readConfig } from './server/config.ts'
import { loadEnvironment } from './server/environment.ts'

const MIGRATION_NAME = /^[a-z][a-z0-9_]*$/

requireMigrationName(process.argv.slice(2))
// The database that the server would open, .env included.
export default forDatabase(readConfig(loadEnvironment('.env', processEnvironment())).url)

/** One dialect at a time: `DATABASE_URL=postgres://… npm run db:generate -- --name add_x` writes PostgreSQL's migration. */
function forDatabase(url: string) {
  if (/^postgres(ql)?:/.test(url)) {
    return defineConfig({
      dialect: 'postgresql',
      schema: ['./drizzle/postgres/schema.ts', './drizzle/postgres/schema-access.ts'],
      out: './drizzle/postgres/migrations',
      migrations: { table: MIGRATIONS_TABLE },
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
    schema: ['./drizzle/sqlite/schema.ts', './drizzle/sqlite/schema-access.ts'],
    out: './drizzle/sqlite/migrations',
    migrations: { table: MIGRATIONS_TABLE },
    dbCredentials: { url: file },
    strict: true,
    verbose: true,
  })
}

// Without a name drizzle-kit invents one, and a history of invented names tells nobody anything.
function requireMigrationName(args: string[]) {
  if (args[0] !== 'generate') return
  const { name } = parseArgs({ args, options: { name: { type: 'string' } }, strict: false }).values
  if (typeof name !== 'string' || !MIGRATION_NAME.test(name)) {
    refuse('Say what the migration does, in snake_case: npm run db:generate -- --name add_priority')
  }
}

function refuse(message: string): never {
  console.error(message)
  process.exit(1)
}

/** The two schemas agree, column by column and rule by rule, but for the differences that are listed here. */
import { Column, getTableColumns, getTableName, is, SQL, type Table } from 'drizzle-orm'
import { PgDialect, PgTable, getTableConfig as postgresTable } from 'drizzle-orm/pg-core'
import { SQLiteSyncDialect, SQLiteTable, getTableConfig as sqliteTable } from 'drizzle-orm/sqlite-core'
import { expect, test } from 'vitest'
import * as postgresQueue from '../../drizzle/postgres/schema.ts'
import * as postgresAccess from '../../drizzle/postgres/schema-access.ts'
import * as sqliteQueue from '../../drizzle/sqlite/schema.ts'
import * as sqliteAccess from '../../drizzle/sqlite/schema-access.ts'

const postgres = { ...postgresQueue, ...postgresAccess }
const sqlite = { ...sqliteQueue, ...sqliteAccess }

/** What a column holds, whatever the dialect calls it. */
const KINDS: Readonly<Record<string, string>> = {
  ...{ integer: 'whole', bigint: 'whole', real: 'real', 'double precision': 'real' },
  ...{ text: 'text', boolean: 'boolean' },
}

type TableConfig = ReturnType<typeof postgresTable> | ReturnType<typeof sqliteTable>

const sqliteSql = new SQLiteSyncDialect()
const postgresSql = new PgDialect()

function textOf(part: unknown, table: Table): string {
  if (is(part, Column)) return part.name
  if (is(part, SQL)) return (is(table, PgTable) ? postgresSql : sqliteSql).sqlToQuery(part).sql.replaceAll('"', '')
  // A column of a PostgreSQL index, with its order.
  const { name, indexConfig } = Object(part)
  return indexConfig?.order === 'desc' ? `${getTableName(table)}.${name} desc` : name
}

function configOf(table: Table): TableConfig {
  if (is(table, PgTable)) return postgresTable(table)
  if (is(table, SQLiteTable)) return sqliteTable(table)
  throw new Error('a table of neither dialect')
}

/** One line for each thing that a table promises. */
function linesOf(table: Table): string[] {
  const config = configOf(table)
  const columns = Object.entries(getTableColumns(table)).map(([key, column]) => {
    const kind = column.dataType === 'boolean' ? 'boolean' : KINDS[column.getSQLType()]
    const isGenerated = 'autoIncrement' in column ? column.autoIncrement : column.generatedIdentity !== undefined
    return [
      `${key} = ${column.name} ${kind ?? column.getSQLType()}`,
      ...(column.notNull ? ['not null'] : []),
      ...(column.primary ? ['key'] : []),
      ...(isGenerated ? ['generated'] : []),
      ...(column.hasDefault && column.default !== undefined ? [`default ${JSON.stringify(column.default)}`] : []),
    ].join(', ')
  })
  const indexes = config.indexes.map(({ config: { name, unique, columns: parts, where } }) => {
    const on = parts.map((part) => textOf(part, table)).join(', ')
    return `${unique ? 'unique ' : ''}index ${name} (${on}) where ${where ? textOf(where, table) : 'always'}`
  })
  const keys = config.primaryKeys.map((key) => `primary key (${key.columns.map(({ name }) => name).join(', ')})`)
  const foreignKeys = config.foreignKeys.map((key) => {
    const { columns: from, foreignTable, foreignColumns } = key.reference()
    const names = [from, foreignColumns].map((part) => part.map(({ name }) => name).join(', '))
    const cascades = [key.onDelete, key.onUpdate].some((action) => (action ?? 'no action') !== 'no action')
    return `foreign key ${names[0]} to ${getTableName(foreignTable)} ${names[1]}${cascades ? ', cascades' : ''}`
  })
  const checks = config.checks.map((check) => `check ${check.name}: ${textOf(check.value, table)}`)
  return [...columns, ...indexes, ...keys, ...foreignKeys, ...checks].map((line) => `${config.name}: ${line}`)
}

function promisesOf(schema: Readonly<Record<string, Table>>): string[] {
  return Object.entries(schema).flatMap(([key, table]) => [`table ${key}`, ...linesOf(table)])
}

test('the schemas are twins', () => {
  const inSqlite = promisesOf(sqlite)
  const inPostgres = promisesOf(postgres)
  expect(inSqlite.length).toBeGreaterThan(150)
  expect(inSqlite.filter((line) => !inPostgres.includes(line))).toEqual([
    "jobs: index jobs_lease (lease_until) where jobs.status = 'processing'",
    'jobs: index jobs_expiry (expires_at) where jobs.expires_at is not null and jobs.finished_at is null and jobs.lease_until is null',
    "jobs: check jobs_terminal_is_finished: (jobs.status = 'completed' or jobs.status = 'failed' or jobs.status = 'cancelled') = (jobs.finished_at is not null)",
    'job_bodies: foreign key seq to jobs seq',
    'job_results: foreign key seq to jobs seq',
    'job_counts: primary key (type, status)',
    'job_counts: check job_counts_positive: job_counts.n >= 0',
    'job_minutes: primary key (minute, type)',
  ])
  expect(inPostgres.filter((line) => !inSqlite.includes(line))).toEqual([
    "jobs: index jobs_processing (type) where jobs.status = 'processing'",
    "jobs: index jobs_expiry (expires_at) where jobs.expires_at is not null and jobs.finished_at is null and jobs.status <> 'processing'",
    "jobs: check jobs_terminal_is_finished: (jobs.status in ('completed', 'failed', 'cancelled')) = (jobs.finished_at is not null)",
    'job_counts: node = node text, not null, default ""',
    'job_counts: primary key (type, status, node)',
    'job_minutes: index job_minutes_minute (minute, type) where always',
  ])
})

test('no PostgreSQL index names a lease, so that heartbeats touch none', () => {
  const indexes = promisesOf(postgres).filter((line) => line.includes('index '))
  expect(indexes.length).toBeGreaterThan(10)
  expect(indexes.filter((line) => line.includes('lease_until'))).toEqual([])
})

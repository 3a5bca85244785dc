/** The SQLite and PostgreSQL schemas are equal, except for the differences listed here. */
import { Column, getTableColumns, getTableName, is, SQL, type Table } from 'drizzle-orm'
import { PgDialect, PgTable, getTableConfig as postgresTable } from 'drizzle-orm/pg-core'
import { SQLiteSyncDialect, SQLiteTable, getTableConfig as sqliteTable } from 'drizzle-orm/sqlite-core'
import { expect, test } from 'vitest'
import * as postgresQueue from '../../drizzle/postgres/schema.ts'
import * as postgresAccess from '../../drizzle/postgres/schema-access.ts'
import * as postgresGroups from '../../drizzle/postgres/schema-groups.ts'
import * as postgresHistory from '../../drizzle/postgres/schema-history.ts'
import * as postgresSchedules from '../../drizzle/postgres/schema-schedules.ts'
import * as sqliteQueue from '../../drizzle/sqlite/schema.ts'
import * as sqliteAccess from '../../drizzle/sqlite/schema-access.ts'
import * as sqliteGroups from '../../drizzle/sqlite/schema-groups.ts'
import * as sqliteHistory from '../../drizzle/sqlite/schema-history.ts'
import * as sqliteSchedules from '../../drizzle/sqlite/schema-schedules.ts'

const postgres = { ...postgresQueue, ...postgresAccess, ...postgresGroups, ...postgresHistory, ...postgresSchedules }
const sqlite = { ...sqliteQueue, ...sqliteAccess, ...sqliteGroups, ...sqliteHistory, ...sqliteSchedules }

/** Column types by their name in each dialect. */
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

/** One line for each column, index and constraint of a table. */
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
    "millrace_jobs: index millrace_jobs_lease (lease_until) where millrace_jobs.status = 'processing'",
    'millrace_jobs: index millrace_jobs_expiry (expires_at) where millrace_jobs.expires_at is not null and millrace_jobs.finished_at is null and millrace_jobs.lease_until is null',
    "millrace_jobs: check millrace_jobs_terminal_is_finished: (millrace_jobs.status = 'completed' or millrace_jobs.status = 'failed' or millrace_jobs.status = 'cancelled') = (millrace_jobs.finished_at is not null)",
    'millrace_job_bodies: foreign key seq to millrace_jobs seq',
    'millrace_job_results: foreign key seq to millrace_jobs seq',
    'millrace_job_counts: primary key (type, status)',
    'millrace_job_counts: check millrace_job_counts_positive: millrace_job_counts.n >= 0',
    'millrace_job_minutes: primary key (minute, type)',
  ])
  expect(inPostgres.filter((line) => !inSqlite.includes(line))).toEqual([
    "millrace_jobs: index millrace_jobs_processing (type) where millrace_jobs.status = 'processing'",
    "millrace_jobs: index millrace_jobs_expiry (expires_at) where millrace_jobs.expires_at is not null and millrace_jobs.finished_at is null and millrace_jobs.status <> 'processing'",
    "millrace_jobs: check millrace_jobs_terminal_is_finished: (millrace_jobs.status in ('completed', 'failed', 'cancelled')) = (millrace_jobs.finished_at is not null)",
    'millrace_job_counts: node = node text, not null, default ""',
    'millrace_job_counts: primary key (type, status, node)',
    'millrace_job_minutes: index millrace_job_minutes_minute (minute, type) where always',
  ])
})

test.each([
  ['SQLite', sqlite],
  ['PostgreSQL', postgres],
])('every table, index and constraint on %s has the prefix', (_, schema) => {
  const names = Object.values<Table>(schema).flatMap((table) => {
    const { name, indexes, primaryKeys, foreignKeys, checks } = configOf(table)
    const keys = [...primaryKeys, ...foreignKeys].map((key) => key.getName())
    return [name, ...indexes.map((index) => index.config.name), ...keys, ...checks.map((check) => check.name)]
  })
  expect(names.length).toBeGreaterThan(40)
  expect(names.filter((name) => !name?.startsWith('millrace_'))).toEqual([])
})

test('no PostgreSQL index contains a lease column, so that heartbeats update no index', () => {
  const indexes = promisesOf(postgres).filter((line) => line.includes('index '))
  expect(indexes.length).toBeGreaterThan(10)
  expect(indexes.filter((line) => line.includes('lease_until'))).toEqual([])
})

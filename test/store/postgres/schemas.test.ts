/** A queue and its migration journal are in one schema; several queues in one database are independent. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { openEngine } from '../../../server/index.ts'
import { createBareDatabase, testDatabase } from '../../support/postgres/postgres.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

test('two queues share a database, each with a role that only has USAGE and CREATE on its schema', async () => {
  const { client, url } = await bareDatabase()
  const [one, two] = [await roleWithSchema(client, url, 'one'), await roleWithSchema(client, url, 'two')]
  expect([await liveOnce(one, 'mail'), await liveOnce(two, 'sms')]).toEqual([
    { mail: 'completed' },
    { sms: 'completed' },
  ])
  const tables = `select schemaname as schema, count(*)::int as n from pg_tables
    where schemaname not in ('pg_catalog', 'information_schema') group by 1 order by 1`
  const [first, second, ...others] = (await client.query<{ schema: string; n: number }>(tables)).rows
  expect([first?.schema, second?.schema, others]).toEqual(['one', 'two', []])
  expect(first?.n).toBe(second?.n)
})

test('a queue uses the first schema of the search path, also when another schema of the path holds a queue', async () => {
  const { client, url } = await bareDatabase()
  await liveOnce(url, 'mail')
  await client.query('create schema second')
  expect(await liveOnce(withPath(url, 'second, public'), 'sms')).toEqual({ sms: 'completed' })
})

test('a schema with the name of the role that hides an existing queue is refused', async () => {
  const { client, url } = await bareDatabase()
  const address = new URL(url)
  const role = `${address.pathname.slice(1)}_own`
  await client.query(`create role ${role} login password 'secret'; grant usage, create on schema public to ${role}`)
  onTestFinished(async () => void (await client.query(`drop owned by ${role}; drop role ${role}`)))
  address.username = role
  address.password = 'secret'
  await liveOnce(address.href, 'mail')
  await client.query(`create schema authorization ${role}`)
  const opening = openEngine({ url: address.href })
  await expect(opening).rejects.toThrow(
    `Schema public holds a queue, but schema ${role}, which has the name of this role`,
  )
  expect((await client.query('select 1 from pg_tables where schemaname = $1', [role])).rows).toEqual([])
  // Each queue is found once the search path names its schema.
  expect(await liveOnce(withPath(address.href, 'public'), 'sms')).toEqual({ mail: 'completed', sms: 'completed' })
  expect(await liveOnce(withPath(address.href, role), 'push')).toEqual({ push: 'completed' })
})

test.each([
  ['tables without a record of migrations', 'drop table millrace_migrations', 'no record of its migrations'],
  [
    'a table of another program',
    `drop schema public cascade; create schema public; create table millrace_jobs (a int)`,
    'CREATE SCHEMA millrace AUTHORIZATION',
  ],
  ['a search path without a schema', 'drop schema public cascade', 'contains no existing schema'],
])('%s is refused, with the remedy', async (_, change, advice) => {
  const { client, url } = await bareDatabase()
  await liveOnce(url, 'mail')
  await client.query(change)
  await expect(openEngine({ url })).rejects.toThrow(advice)
})

test.each([
  ['revoke create on schema one from one', 'GRANT USAGE, CREATE ON SCHEMA one TO one.'],
  ['revoke usage on schema one from one', 'contains no existing schema that the role may use'],
])('a role that lacks a privilege (%s) gets the required GRANT', async (change, advice) => {
  const { client, url } = await bareDatabase()
  const address = await roleWithSchema(client, url, 'one')
  const role = decodeURIComponent(new URL(address).username)
  await client.query(change.replace(/one$/, role))
  await expect(openEngine({ url: address })).rejects.toThrow(advice.replace('TO one', `TO ${role}`))
})

test('drizzle-kit migrates the same schema as the server, and writes its journal there', async () => {
  const { client, url } = await bareDatabase()
  await client.query('create schema second')
  const address = withPath(url, 'second')
  const program = join(ROOT, 'node_modules', '.bin', 'drizzle-kit')
  const env = { PATH: process.env.PATH, DATABASE_URL: address }
  const code = await new Promise((resolve) => {
    execFile(process.execPath, [program, 'migrate'], { cwd: ROOT, env }, (error) => resolve(error?.code ?? 0))
  })
  expect(code).toBe(0)
  expect(await liveOnce(address, 'sms')).toEqual({ sms: 'completed' })
  const { rows } = await client.query(`select distinct schemaname as schema from pg_tables
    where schemaname not in ('pg_catalog', 'information_schema')`)
  expect(rows).toEqual([{ schema: 'second' }])
})

async function bareDatabase() {
  const url = await testDatabase(createBareDatabase)
  const client = new Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  onTestFinished(() => client.end())
  return { client, url }
}

/** Roles belong to the whole server, so their names contain the name of the database. */
async function roleWithSchema(client: Client, url: string, schema: string): Promise<string> {
  const address = new URL(url)
  const role = `${address.pathname.slice(1)}_${schema}`
  await client.query(`create role ${role} login password 'secret'; create schema ${schema};
    grant usage, create on schema ${schema} to ${role}; alter role ${role} set search_path = ${schema};
    revoke all on schema public from public`)
  onTestFinished(async () => void (await client.query(`drop owned by ${role}; drop role ${role}`)))
  address.username = role
  address.password = 'secret'
  return address.href
}

function withPath(url: string, path: string): string {
  const address = new URL(url)
  address.searchParams.set('options', `-c search_path=${path.replaceAll(' ', '')}`)
  return address.href
}

/** Enqueues, claims and completes one job of a type; returns the counts of all types. */
async function liveOnce(url: string, type: string): Promise<Readonly<Record<string, string>>> {
  const engine = await openEngine({ url })
  try {
    await engine.enqueue({ type, payload: 1 })
    const [job] = await engine.claim({ worker: 'ada', types: [type] })
    if (job) await engine.complete({ id: job.id, version: job.version, result: 1 })
    const { jobs } = await engine.list()
    return Object.fromEntries(jobs.map((row) => [row.type, row.status]))
  } finally {
    await engine.close()
  }
}

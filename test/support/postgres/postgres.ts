/** Fresh PostgreSQL databases for tests, from the server of the run or from the one that is installed on this machine. */
import { inject, onTestFinished } from 'vitest'
import { z } from 'zod'

declare module 'vitest' {
  interface ProvidedContext {
    /** Where test files, each a process of its own, ask for databases; see postgres-setup.ts. */
    readonly postgresDesk: string
    /** There is a second server for the tests that run on both. */
    readonly hasInstalledPostgres: boolean
  }
}

export interface TestDatabase {
  readonly url: string
  /** Close your own connections first. */
  drop(): Promise<void>
}

const taken = z.object({ name: z.string(), url: z.string() })

/** Migrated and empty. Do not change its schema: after you others get the same tables. */
export function createDatabase(): Promise<TestDatabase> {
  return take('tests', 'take')
}

/** Without any table, to migrate or to break. */
export function createBareDatabase(): Promise<TestDatabase> {
  return take('tests', 'take/bare')
}

/** On the installed server, with its defaults: for a test that is skipped unless `hasInstalledPostgres()`. */
export function createInstalledDatabase(): Promise<TestDatabase> {
  return take('installed', 'take')
}

/** The same without any table. */
export function createBareInstalledDatabase(): Promise<TestDatabase> {
  return take('installed', 'take/bare')
}

export function hasInstalledPostgres(): boolean {
  return inject('hasInstalledPostgres')
}

/** A database of the running test, dropped when it ends, pass or fail. */
export async function testDatabase(create = createDatabase): Promise<string> {
  const database = await create()
  onTestFinished(() => database.drop())
  return database.url
}

async function take(server: 'tests' | 'installed', path: string): Promise<TestDatabase> {
  const { name, url } = taken.parse(await ask(`${server}/${path}`))
  return {
    url,
    async drop() {
      await ask(`${server}/give/${name}`)
    },
  }
}

async function ask(path: string): Promise<unknown> {
  const response = await fetch(`${inject('postgresDesk')}/${path}`, { method: 'POST' })
  if (!response.ok) throw new Error(await response.text())
  return response.json()
}

/** Empty PostgreSQL databases for tests, from the server of the test run or from the installed one. */
import { inject, onTestFinished } from 'vitest'
import { z } from 'zod'

declare module 'vitest' {
  interface ProvidedContext {
    /** Address at which test processes request databases; see setup.ts. */
    readonly postgresDesk: string
    /** A second server exists for tests that run on both. */
    readonly hasInstalledPostgres: boolean
  }
}

export interface TestDatabase {
  readonly url: string
  /** Connections must be closed first. */
  drop(): Promise<void>
}

const taken = z.object({ name: z.string(), url: z.string() })

/** Migrated and empty. Its schema must not be changed: later tests reuse its tables. */
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

/** A database for the running test, dropped at its end. */
export async function testDatabase(create = createDatabase): Promise<string> {
  const database = await create()
  onTestFinished(() => database.drop())
  return database.url
}

async function take(server: 'tests' | 'installed', path: string): Promise<TestDatabase> {
  const { name, url } = taken.parse(await request(`${server}/${path}`))
  return {
    url,
    async drop() {
      await request(`${server}/give/${name}`)
    },
  }
}

async function request(path: string): Promise<unknown> {
  const response = await fetch(`${inject('postgresDesk')}/${path}`, { method: 'POST' })
  if (!response.ok) throw new Error(await response.text())
  return response.json()
}

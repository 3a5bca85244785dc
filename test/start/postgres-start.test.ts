/** `npm start` with a PostgreSQL that starts later or cannot be used. */
import { expect, it } from 'vitest'
import { until } from '../support/engine.ts'
import { PostgresLine } from '../support/postgres/connection.ts'
import { createBareDatabase, testDatabase } from '../support/postgres/postgres.ts'
import { type Program, startProgram } from '../support/programs/program.ts'
import { tempFolder } from '../support/temp.ts'

it('waits for PostgreSQL, logs the wait, and serves when it is reachable', { timeout: 60_000 }, async () => {
  const line = await PostgresLine.to(await testDatabase(createBareDatabase))
  const program = startProgram(await tempFolder(), { DATABASE_URL: line.url })
  await waitForOutput(program, /(?:Waiting for PostgreSQL.*){2}/s)
  expect(program.stdout()).toMatch(/"level":40,.*"msg":"Waiting for PostgreSQL at .*ECONNREFUSED.*; trying again in /)
  await line.startUp()
  await waitForOutput(program, /the database system is starting up/)
  await line.open()
  const port = await program.listening
  await until(async () => (await fetch(`http://127.0.0.1:${port}/ready`)).ok)
  program.child.kill('SIGTERM')
  expect(await program.ended).toBe(0)
})

it('exits at once with a one-line message when waiting cannot help', { timeout: 60_000 }, async () => {
  const url = new URL(await testDatabase())
  url.password = 'wrong-secret'
  const program = startProgram(await tempFolder(), { DATABASE_URL: url.href })
  expect([await program.ended, program.stdout()]).toEqual([1, ''])
  expect(program.stderr()).toMatch(/^PostgreSQL at \S+ rejected the login \(.*\); check user and password .*\n$/)
  expect(program.stderr()).not.toContain('wrong-secret')
})

it('can be stopped while it waits for PostgreSQL', { timeout: 60_000 }, async () => {
  const line = await PostgresLine.to(await testDatabase())
  const program = startProgram(await tempFolder(), { DATABASE_URL: line.url })
  await waitForOutput(program, /Waiting for PostgreSQL/)
  program.child.kill('SIGTERM')
  expect(await program.ended).toBe('SIGTERM')
})

/** Waits without a time limit, for busy machines; rejects if the process exits before. */
async function waitForOutput(program: Program, pattern: RegExp): Promise<void> {
  const ended = program.ended.then((code) => Promise.reject(new Error(`it ended with ${code}: ${program.stderr()}`)))
  ended.catch(() => {})
  while (!pattern.test(program.stdout())) {
    await Promise.race([new Promise((resolve) => program.child.stdout?.once('data', resolve)), ended])
  }
}

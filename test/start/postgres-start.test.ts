/** `npm start` beside a PostgreSQL that is not there yet, or never will be of use. */
import { expect, it } from 'vitest'
import { until } from '../support/engine.ts'
import { PostgresLine } from '../support/postgres/connection.ts'
import { createBareDatabase, testDatabase } from '../support/postgres/postgres.ts'
import { type Program, startProgram } from '../support/program.ts'
import { tempFolder } from '../support/temp.ts'

it('waits for its PostgreSQL, saying so, and serves when it is there', { timeout: 60_000 }, async () => {
  const line = await PostgresLine.to(await testDatabase(createBareDatabase))
  const program = startProgram(await tempFolder(), { DATABASE_URL: line.url })
  await heard(program, /(?:Waiting for PostgreSQL.*){2}/s)
  expect(program.stdout()).toMatch(/"level":40,.*"msg":"Waiting for PostgreSQL at .*ECONNREFUSED.*; trying again in /)
  await line.startUp()
  await heard(program, /the database system is starting up/)
  await line.open()
  const port = await program.listening
  await until(async () => (await fetch(`http://127.0.0.1:${port}/ready`)).ok)
  program.child.kill('SIGTERM')
  expect(await program.ended).toBe(0)
})

it('ends at once, in one line, where waiting cannot help', { timeout: 60_000 }, async () => {
  const url = new URL(await testDatabase())
  url.password = 'wrong-secret'
  const program = startProgram(await tempFolder(), { DATABASE_URL: url.href })
  expect([await program.ended, program.stdout()]).toEqual([1, ''])
  expect(program.stderr()).toMatch(/^PostgreSQL at \S+ does not let this user in \(.*\); check user and password .*\n$/)
  expect(program.stderr()).not.toContain('wrong-secret')
})

it('can be stopped while it waits', { timeout: 60_000 }, async () => {
  const line = await PostgresLine.to(await testDatabase())
  const program = startProgram(await tempFolder(), { DATABASE_URL: line.url })
  await heard(program, /Waiting for PostgreSQL/)
  program.child.kill('SIGTERM')
  expect(await program.ended).toBe('SIGTERM')
})

/** However long it takes to start on a busy machine; fails if it ends before. */
async function heard(program: Program, words: RegExp): Promise<void> {
  const ended = program.ended.then((code) => Promise.reject(new Error(`it ended with ${code}: ${program.stderr()}`)))
  ended.catch(() => {})
  while (!words.test(program.stdout())) {
    await Promise.race([new Promise((resolve) => program.child.stdout?.once('data', resolve)), ended])
  }
}

/** Exhausted disk quota: SQLite reports an I/O error, and the server refuses new jobs instead of exiting. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { until } from '../support/engine.ts'
import { startProgram } from '../support/programs/program.ts'
import { call } from '../support/server.ts'
import { failWrites, whyNoFailingWrites } from '../support/store/failing-writes.ts'
import { tempFolder } from '../support/temp.ts'

const reason = whyNoFailingWrites()
const suffix = reason === null ? '' : ` (skipped: ${reason})`

async function start() {
  const folder = await tempFolder()
  const program = startProgram(folder, { DB_PATH: join(folder, 'queue.db') })
  const url = `http://127.0.0.1:${await program.listening}`
  await until(() => existsSync(join(folder, 'queue.db.reserve')))
  const enqueue = async () => (await call({ url }, 'enqueue', 'mutation', { type: 'mail', payload: 1 })).status
  expect(await enqueue()).toBe(200)
  return { program, url, enqueue }
}

it.skipIf(reason !== null)(
  `an exhausted quota refuses new jobs until there is space again${suffix}`,
  async () => {
    const { program, url, enqueue } = await start()
    const restore = await failWrites(program.child.pid, 'EDQUOT')
    expect(await enqueue()).toBe(507)
    expect(await (await fetch(`${url}/ready`)).json()).toMatchObject({
      problems: ['the disk is full, new jobs are refused'],
    })
    await restore()
    await until(async () => (await enqueue()) === 200)
    expect((await fetch(`${url}/ready`)).status).toBe(200)
  },
  60_000,
)

it.skipIf(reason !== null)(
  `another write error ends the server with exit code 70${suffix}`,
  async () => {
    const { program, enqueue } = await start()
    await failWrites(program.child.pid, 'EIO')
    await enqueue().catch(() => {})
    expect(await program.ended).toBe(70)
  },
  60_000,
)

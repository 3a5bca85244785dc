/** PostgreSQL behind PgBouncer: session pooling works, other modes are rejected at start. `npm run proof:pgbouncer`. */
import { spawn } from 'node:child_process'
import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from 'pg'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openEngine } from '../../server/index.ts'
import { testDatabase } from '../support/postgres/postgres.ts'
import { tempFolder } from '../support/temp.ts'
import { freePort } from './proxy-program.ts'

const UNPRIVILEGED_UID = 65534

test('two nodes share the work with session pooling', async () => {
  const url = await pgbouncer('pool_mode = session\ndefault_pool_size = 40')
  const [one, two] = [await openEngine({ url }), await openEngine({ url })]
  onTestFinished(async () => {
    await one.close()
    await two.close()
  })
  const waiting = two.claim({ worker: 'ada', types: ['mail'], waitMs: 20_000 })
  await one.enqueue({ type: 'mail', payload: 1 })
  const [job] = await waiting
  if (!job) throw new Error('the job was not claimed')
  expect((await two.complete({ id: job.id, version: job.version, result: 1 })).status).toBe('completed')
})

test('the pooling check accepts session pooling with a single server connection', async () => {
  const url = await pgbouncer('pool_mode = session\ndefault_pool_size = 1')
  const engine = await openEngine({ url })
  await engine.close()
  expect(engine.isLeader).toBe(false)
})

test.each([
  ['transaction', 'default_pool_size = 20'],
  ['transaction', 'default_pool_size = 20\nserver_round_robin = 1\nmin_pool_size = 5'],
  ['transaction', 'default_pool_size = 1'],
  ['statement', 'default_pool_size = 20'],
])('%s pooling is rejected with advice (%s)', async (mode, settings) => {
  const url = await pgbouncer(`pool_mode = ${mode}\n${settings}`)
  await expect(openEngine({ url })).rejects.toThrow('pool_mode = session')
  // Other clients of the pooler keep their own settings.
  const client = new Client({ connectionString: url })
  await client.connect()
  for (let n = 0; n < 10; n++) {
    expect((await client.query('show statement_timeout')).rows).toEqual([{ statement_timeout: '0' }])
  }
  await client.end()
})

/** Starts PgBouncer in front of a new database and returns the pooled address. */
async function pgbouncer(settings: string): Promise<string> {
  const database = new URL(await testDatabase())
  const name = database.pathname.slice(1)
  const folder = await tempFolder()
  const port = await freePort()
  const file = join(folder, 'pgbouncer.ini')
  const target = `host=${database.hostname} port=${database.port} user=${database.username} password=${database.password}`
  await writeFile(
    file,
    `[databases]
${name} = ${target}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
${settings}
`,
  )
  await chmod(folder, 0o755)
  await chmod(file, 0o644)
  // PgBouncer does not run as root.
  const user = process.getuid?.() === 0 ? { uid: UNPRIVILEGED_UID, gid: UNPRIVILEGED_UID } : {}
  const child = spawn('pgbouncer', ['-q', file], { ...user, stdio: ['ignore', 'ignore', 'pipe'] })
  let output = ''
  child.stderr.on('data', (chunk) => {
    output += chunk
  })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  child.once('error', (error) => {
    output += error.message
  })
  onTestFinished(async () => {
    child.kill('SIGTERM')
    await ended
  })
  const address = `postgres://queue@127.0.0.1:${port}/${name}`
  await vi.waitFor(
    async () => {
      if (child.exitCode !== null || child.pid === undefined) throw new Error(`pgbouncer did not start: ${output}`)
      const client = new Client({ connectionString: address })
      await client.connect()
      await client.end()
    },
    { timeout: 10_000 },
  )
  return address
}

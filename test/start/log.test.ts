/** The log: what is an error in it, what never stands in it, and a queue that goes on when it cannot be written. */
import { spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import Database from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openLog } from '../../server/log.ts'
import { add, until } from '../support/engine.ts'
import { call, startServer } from '../support/server.ts'
import { tempFolder } from '../support/temp.ts'

const MAIN = new URL('../../server/main.ts', import.meta.url).pathname
/** Where every write fails for lack of space. */
const FULL = '/dev/full'

describe('a request line', () => {
  it('is an error from status 500 on, and else for information', async () => {
    const server = await startServer()
    await call(server, 'stats', 'query')
    await call(server, 'get', 'query', { id: 'seven' })
    server.engine.stats = () => Promise.reject(new Error('broken'))
    await call(server, 'stats', 'query')
    await server.engine.close()
    await call(server, 'list', 'query')
    const lines = () => server.logged.filter(({ msg }) => msg === 'request')
    await until(() => lines().length === 4)
    expect(lines().map(({ status, level }) => [status, level])).toEqual([
      [200, 30],
      [400, 30],
      [500, 50],
      [503, 50],
    ])
  })
})

describe('a stored payload that is broken', () => {
  it('is a fault of ours, told without its words, which stand in the log', async () => {
    const server = await startServer()
    const id = await add(server.engine, { payload: 'fine' })
    const db = new Database(server.file)
    expect(db.prepare(`UPDATE job_bodies SET payload = '{"half": '`).run().changes).toBe(1)
    db.close()
    const { status, body } = await call(server, 'get', 'query', { id })
    expect([status, body]).toMatchObject([500, { error: { data: { queueCode: 'INTERNAL', httpStatus: 500 } } }])
    expect(JSON.stringify(body)).not.toContain('JSON')
    const err = expect.objectContaining({ type: 'SyntaxError', message: expect.stringContaining('JSON') })
    expect(server.logged).toContainEqual(expect.objectContaining({ level: 50, msg: 'a call failed', path: 'get', err }))
  })
})

describe('a secret', () => {
  const SECRET = 'swordfish'
  const names = ['authorization', 'cookie', 'token', 'authToken']

  it.each(names)('under the name %s is left out, on its own or inside an object', (name) => {
    const lines: string[] = []
    const { logger } = openLog('info', { write: (line) => lines.push(line) })
    logger.info({ [name]: SECRET, other: 'kept' }, 'alone')
    logger.info({ headers: { [name]: SECRET, host: 'kept' } }, 'inside')
    logger.error({ err: Object.assign(new Error('kept'), { [name]: SECRET }) }, 'in an error')
    expect(lines).toHaveLength(3)
    for (const line of lines) {
      expect(line).toContain('kept')
      expect(line).toContain(`"${name}":"[Redacted]"`)
      expect(line).not.toContain(SECRET)
    }
  })
})

/** The program with its log going nowhere; it tells its port on stderr. */
async function startUnheard(stdout: 'pipe' | number) {
  const child = spawn(process.execPath, ['--import', import.meta.resolve('tsx'), MAIN], {
    cwd: await tempFolder(),
    env: { PATH: process.env.PATH, PORT: '0' },
    stdio: ['ignore', stdout, 'pipe'],
  })
  child.stdout?.destroy()
  let stderr = ''
  child.stderr?.on('data', (chunk) => {
    stderr += chunk
  })
  const ended = new Promise((resolve) => child.once('close', (code, signal) => resolve(signal ?? code)))
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  const url = () => /http:\/\/127\.0\.0\.1:\d+/.exec(stderr)?.[0]
  await until(() => url() !== undefined || child.exitCode !== null)
  const complaints = () => stderr.split('\n').filter((line) => /\blog\b/.test(line))
  return { child, ended, url: url() ?? '', complaints, stderr: () => stderr }
}

describe('a log that cannot be written', () => {
  it('stops nothing: the queue goes on, says so once, and ends in good order', { timeout: 60_000 }, async () => {
    // Elsewhere than on Linux, a reader that has gone away is what cannot be written to.
    const full = process.platform === 'linux' ? openSync(FULL, 'w') : 'pipe'
    const { child, ended, url, complaints, stderr } = await startUnheard(full)
    if (full !== 'pipe') closeSync(full)
    await until(async () => (await call({ url }, 'stats', 'query')).status === 200 && complaints().length > 0)
    for (let n = 0; n < 100; n++) {
      expect((await call({ url }, 'enqueue', 'mutation', { type: 'mail', payload: n })).status).toBe(200)
    }
    expect(await (await fetch(`${url}/health`)).json()).toMatchObject({ status: 'ok' })
    child.kill('SIGTERM')
    expect([await ended, complaints()]).toEqual([0, [expect.stringContaining('going on without it')]])
    expect(stderr()).not.toContain('at ')
  })
})

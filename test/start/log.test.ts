/** Server log: levels, redaction, and an unwritable destination. */
import { spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openLog } from '../../server/base/log.ts'
import { compiled } from '../support/compiled/compiled.ts'
import { add, until } from '../support/engine.ts'
import { call, describeServer, type Settings } from '../support/server.ts'
import { tempFolder } from '../support/temp.ts'

describeServer('a request line', (startServer) => {
  it('a request is logged as an error from status 500 on, else as info', async () => {
    const server = await startServer()
    await call(server, 'stats', 'query')
    await call(server, 'get', 'query', { id: 'seven' })
    Object.assign(server.engine.parsed, { stats: () => Promise.reject(new Error('broken')) })
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

describeServer('a stored payload that is broken', (startServer) => {
  it('a broken stored payload gives a generic error; the details are only in the log', async () => {
    const server = await startServer()
    const id = await add(server.engine, { payload: 'fine' })
    expect(await server.place.sql(`UPDATE millrace_job_bodies SET payload = '{"half": ' RETURNING seq`)).toHaveLength(1)
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

  it.each(names)('a secret named %s is redacted, at the top level and inside an object', (name) => {
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

/** The server with an unwritable stdout; its port is read from stderr. */
async function startUnheard(stdout: number | 'pipe', settings: Settings) {
  const child = spawn(process.execPath, [compiled('server/main')], {
    cwd: await tempFolder(),
    env: { PATH: process.env.PATH, PORT: '0', ...settings },
    stdio: ['ignore', stdout, 'pipe'],
  })
  child.stdout?.destroy()
  let stderr = ''
  const ended = new Promise((resolve) => child.once('close', (code, signal) => resolve(signal ?? code)))
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  const url = await new Promise<string>((resolve, reject) => {
    child.stderr?.on('data', (chunk) => {
      stderr += chunk
      const [, found] = /API +(\S+)\/trpc\n[\s\S]*Its log follows\./.exec(stderr) ?? []
      if (found !== undefined) resolve(found)
    })
    ended.then((code) => reject(new Error(`it ended with ${code}: ${stderr}`)))
  })
  /** stderr without the start-up text, whose lines are indented. */
  const words = () =>
    stderr
      .split('\n')
      .filter((line) => /^\S/.test(line))
      .join('\n')
  return { child, ended, url, words }
}

describeServer('a log that cannot be written', (_, database) => {
  // Only Linux has /dev/full; a closed pipe is the same elsewhere.
  it.each([
    ['a full disk', process.platform === 'linux' ? '/dev/full' : null],
    ['a reader that has gone away', null],
  ])(
    'an unwritable log (%s) stops nothing: one message on stderr, and a clean exit',
    { timeout: 60_000 },
    async (_, device) => {
      const place = await database.create()
      const stdout = device === null ? 'pipe' : openSync(device, 'w')
      const { child, ended, url, words } = await startUnheard(stdout, place.settings())
      if (stdout !== 'pipe') closeSync(stdout)
      await until(async () => (await call({ url }, 'stats', 'query')).status === 200 && words() !== '')
      for (let n = 0; n < 100; n++) {
        expect((await call({ url }, 'enqueue', 'mutation', { type: 'mail', payload: n })).status).toBe(200)
      }
      child.kill('SIGTERM')
      expect(await ended).toBe(0)
      expect(words()).toMatch(/^The log cannot be written \(.+\); continuing without it\.$/)
    },
  )
})

/** The compiled program as a child process: pipes, signals, exit codes and `serve`. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { compiled } from '../support/compiled/compiled.ts'
import { tempFolder } from '../support/temp.ts'
import { describeBackends, openBackend } from './backends.ts'

interface Process {
  readonly child: ChildProcessWithoutNullStreams
  stdout(): string
  stderr(): string
  /** Waits for this text on stdout and returns all of stdout; fails if the process ends before. */
  waitForOutput(text: string): Promise<string>
  readonly ended: Promise<number | NodeJS.Signals | null>
}

function start(argv: readonly string[], env: Readonly<Record<string, string>>, cwd?: string): Process {
  const child = spawn(process.execPath, [compiled('server/cli/main'), ...argv], {
    env: { PATH: process.env.PATH, ...env },
    ...(cwd !== undefined && { cwd }),
  })
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (chunk) => {
    stdout += chunk
  })
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  const ended = new Promise<number | NodeJS.Signals | null>((resolve) => {
    child.once('close', (code, signal) => resolve(signal ?? code))
  })
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  const waitForOutput = (text: string) =>
    new Promise<string>((resolve, reject) => {
      const look = () => {
        if (!stdout.includes(text)) return
        child.stdout.off('data', look)
        resolve(stdout)
      }
      child.stdout.on('data', look)
      look()
      ended.then((code) => reject(new Error(`it ended with ${code}: ${stderr}`)))
    })
  return { child, stdout: () => stdout, stderr: () => stderr, waitForOutput, ended }
}

describeBackends('the program', (open) => {
  it('enqueues from a pipe, lists jobs, and exits with the documented codes', { timeout: 60_000 }, async () => {
    const { env, queue } = await open()
    const adding = start(['enqueue'], env)
    adding.child.stdin.end('{"command":"echo hi"}\n{"type":"mail","payload":"ä"}\n')
    expect([await adding.ended, adding.stderr()]).toEqual([0, '2 jobs enqueued.\n'])
    const ids = adding.stdout().trim().split('\n')
    const [listing, failing] = [start(['list', '--json'], env), start(['retry', String(ids[0])], env)]
    expect([await listing.ended, listing.stderr()]).toEqual([0, ''])
    const listed = listing
      .stdout()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(listed).toMatchObject([
      { id: ids[1], payload: 'ä', state: 'pending' },
      { id: ids[0], command: 'echo hi', max_retries: 3 },
    ])
    expect([await failing.ended, failing.stdout()]).toEqual([4, ''])
    expect(failing.stderr()).toMatch(/^Job .* is pending; it can be retried only while it is failed.*\n$/)
    expect((await queue.counts()).pending).toBe(2)
  })
})

describe('the program', () => {
  it('exits quietly when the output pipe is closed', { timeout: 60_000 }, async () => {
    const { env, queue } = await openBackend('file')
    const jobs = Array.from({ length: 1_000 }, (_, n) => ({ type: 'mail', payload: `${n}`.repeat(300) }))
    await queue.enqueueMany({ jobs })
    const listing = start(['list', '--json', '--limit', '1000'], env)
    listing.child.stdout.once('data', () => listing.child.stdout.destroy())
    expect([await listing.ended, listing.stderr()]).toEqual([0, ''])
  })

  it('stores all jobs of a file even if the output pipe is closed', { timeout: 60_000 }, async () => {
    const { env, queue } = await openBackend('file')
    const file = join(await tempFolder(), 'jobs.ndjson')
    writeFileSync(file, '{"type":"mail"}\n'.repeat(5_000))
    const adding = start(['enqueue', '--file', file], env)
    adding.child.stdout.once('data', () => adding.child.stdout.destroy())
    expect([await adding.ended, adding.stderr()]).toEqual([0, '5,000 jobs enqueued.\n'])
    expect((await queue.counts()).pending).toBe(5_000)
  })

  it('stops reading lines at Ctrl-C and reports what is stored', { timeout: 60_000 }, async () => {
    const { env } = await openBackend('file')
    const adding = start(['enqueue', '-'], env)
    adding.child.stdin.write('{"type":"mail"}\n'.repeat(1_001))
    await adding.waitForOutput('-')
    adding.child.kill('SIGINT')
    expect([await adding.ended, adding.stderr()]).toEqual([
      1,
      '1,000 jobs enqueued.\nStopped; continue with --from-line 1001.\n',
    ])
  })

  it('serves like npm start with settings from .env, and can be queried', { timeout: 60_000 }, async () => {
    const folder = await tempFolder()
    writeFileSync(join(folder, '.env'), 'DB_PATH=./here.db\n')
    const server = start(['serve', '--port', '0'], {}, folder)
    const port = /"port":(\d+)/.exec(await server.waitForOutput('"msg":"listening"'))?.[1]
    expect(server.stderr()).toContain(`${join(folder, 'here.db')} (SQLite`)
    const status = start(['--url', `http://127.0.0.1:${port}`, 'status', '--json'], {}, folder)
    expect([await status.ended, JSON.parse(status.stdout()).total]).toEqual([0, 0])
    server.child.kill('SIGTERM')
    expect([await server.ended, server.stdout()]).toEqual([0, expect.stringMatching(/"msg":"stopped"\}\n$/)])
  })

  it('reports in one line why it cannot serve', { timeout: 60_000 }, async () => {
    const server = start(['serve'], { PORT: 'high' }, await tempFolder())
    expect([await server.ended, server.stdout()]).toEqual([2, ''])
    expect(server.stderr()).toMatch(/^Invalid settings: PORT=high: must be a whole number.*\n$/)
  })
})

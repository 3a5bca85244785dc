/** The real program, as a process of its own: a round in every home, its pipes, its signals, and the server it runs. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { compiled } from '../support/compiled/compiled.ts'
import { tempFolder } from '../support/temp.ts'
import { describeHomes, openHome } from './homes.ts'

interface Process {
  readonly child: ChildProcessWithoutNullStreams
  stdout(): string
  stderr(): string
  /** What it has written to stdout when these words are among it; fails if it ends before. */
  says(words: string): Promise<string>
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
  const says = (words: string) =>
    new Promise<string>((resolve, reject) => {
      const look = () => {
        if (!stdout.includes(words)) return
        child.stdout.off('data', look)
        resolve(stdout)
      }
      child.stdout.on('data', look)
      look()
      ended.then((code) => reject(new Error(`it ended with ${code}: ${stderr}`)))
    })
  return { child, stdout: () => stdout, stderr: () => stderr, says, ended }
}

describeHomes('the program', (open) => {
  it('enqueues from a pipe, lists, refuses and finds nothing, with the codes for it', { timeout: 60_000 }, async () => {
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
  it('ends quietly when its reader has had enough', { timeout: 60_000 }, async () => {
    const { env, queue } = await openHome('file')
    const jobs = Array.from({ length: 1_000 }, (_, n) => ({ type: 'mail', payload: `${n}`.repeat(300) }))
    await queue.enqueueMany({ jobs })
    const listing = start(['list', '--json', '--limit', '1000'], env)
    listing.child.stdout.once('data', () => listing.child.stdout.destroy())
    expect([await listing.ended, listing.stderr()]).toEqual([0, ''])
  })

  it('stores all jobs of a file though its reader has had enough', { timeout: 60_000 }, async () => {
    const { env, queue } = await openHome('file')
    const file = join(await tempFolder(), 'jobs.ndjson')
    writeFileSync(file, '{"type":"mail"}\n'.repeat(5_000))
    const adding = start(['enqueue', '--file', file], env)
    adding.child.stdout.once('data', () => adding.child.stdout.destroy())
    expect([await adding.ended, adding.stderr()]).toEqual([0, '5,000 jobs enqueued.\n'])
    expect((await queue.counts()).pending).toBe(5_000)
  })

  it('stops reading lines at Ctrl-C and says what is stored', { timeout: 60_000 }, async () => {
    const { env } = await openHome('file')
    const adding = start(['enqueue', '-'], env)
    adding.child.stdin.write('{"type":"mail"}\n'.repeat(1_001))
    await adding.says('-')
    adding.child.kill('SIGINT')
    expect([await adding.ended, adding.stderr()]).toEqual([
      1,
      '1,000 jobs enqueued.\nStopped; go on with --from-line 1001.\n',
    ])
  })

  it('serves as npm start does, and is a client of itself by .env', { timeout: 60_000 }, async () => {
    const folder = await tempFolder()
    writeFileSync(join(folder, '.env'), 'DB_PATH=./here.db\n')
    const server = start(['serve', '--port', '0'], {}, folder)
    const port = /"port":(\d+)/.exec(await server.says('"msg":"listening"'))?.[1]
    expect(server.stderr()).toContain(`${join(folder, 'here.db')} (SQLite`)
    const status = start(['--url', `http://127.0.0.1:${port}`, 'status', '--json'], {}, folder)
    expect([await status.ended, JSON.parse(status.stdout()).total]).toEqual([0, 0])
    server.child.kill('SIGTERM')
    expect([await server.ended, server.stdout()]).toEqual([0, expect.stringMatching(/"msg":"stopped"\}\n$/)])
  })

  it('says in one line why it cannot serve', { timeout: 60_000 }, async () => {
    const server = start(['serve'], { PORT: 'high' }, await tempFolder())
    expect([await server.ended, server.stdout()]).toEqual([2, ''])
    expect(server.stderr()).toMatch(/^Cannot use PORT=high: must be a whole number.*\n$/)
  })
})

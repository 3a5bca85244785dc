/** Every program in examples/ runs and prints what its README states. */
import { execFile, spawn } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { compiled } from '../support/compiled/compiled.ts'
import { until } from '../support/engine.ts'
import { describeServer } from '../support/server.ts'
import { tempFolder } from '../support/temp.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const ENV = { PATH: process.env.PATH }

function run(
  file: string,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>> = {},
): Promise<{ readonly code: number | string; readonly stdout: string; readonly stderr: string }> {
  return new Promise((resolve) => {
    execFile(file, args, { cwd: ROOT, env: { ...ENV, ...env } }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    )
  })
}

function example(name: string, args: readonly string[] = [], env: Readonly<Record<string, string>> = {}) {
  return run(process.execPath, [compiled(`examples/${name}`), ...args], env)
}

it('the example embed-with-tq runs', async () => {
  const { code, stdout, stderr } = await example('embed-with-tq/main', [join(await tempFolder(), 'app.db')])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toContain('crawling https://example.com\n')
  expect(stdout).toMatch(/reported https:\/\/example.com\/about and https:\/\/example.org\/about\n$/)
})

it('the example limits-per-tenant runs', async () => {
  const { code, stdout, stderr } = await example('limits-per-tenant/main')
  expect({ code, stdout, stderr }).toEqual({
    ...{ code: 0, stderr: '' },
    stdout:
      'at most 2 jobs of the large tenant ran at a time\n' +
      'the small tenant waited for fewer than 5 jobs of the large one: true\n',
  })
})

it('the example upstream-with-429 runs', async () => {
  const { code, stdout, stderr } = await example('upstream-with-429/main')
  expect({ code, stdout, stderr }).toEqual({
    ...{ code: 0, stderr: '' },
    stdout: 'ada is busy\n5 completed, 0 failed, with one attempt each\n',
  })
})

it('the example transactional-enqueue runs', async () => {
  const { code, stdout } = await example('transactional-enqueue/main', [join(await tempFolder(), 'shop.db')])
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: [
      'rolled back: the payment for a piano was declined',
      `orders: [ { id: 1, item: 'a lamp' } ]`,
      'to confirm: { order: 1 } and 0 more',
      '',
    ].join('\n'),
  })
})

it('the example customer-schedules runs, and can be repeated', async () => {
  const file = join(await tempFolder(), 'queue.db')
  const first = await example('customer-schedules/main', [file, '2000'])
  expect(first).toMatchObject({ code: 0, stderr: '' })
  const [created, starts = ''] = first.stdout.split('\n')
  expect(created).toBe('2000 schedules created, 0 kept')
  const counts = starts.split(': ')[1]?.split(' ').map(Number) ?? []
  expect(counts.length).toBe(6)
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(400)
  // 67 are expected in each of the six; the hash is stable, so this cannot fail by chance.
  expect(Math.min(...counts)).toBeGreaterThan(40)
  const again = await example('customer-schedules/main', [file, '2001'])
  expect(again.stdout).toContain('1 schedules created, 2000 kept\n')
})

it('the example shell-jobs runs', async () => {
  const folder = await tempFolder()
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  writeFileSync(join(bin, 'queuectl'), `#!/bin/sh\nexec '${process.execPath}' '${compiled('server/cli/main')}' "$@"\n`)
  chmodSync(join(bin, 'queuectl'), 0o755)
  const env = { PATH: `${bin}:${process.env.PATH}`, DB_PATH: join(folder, 'queue.db') }
  const { code, stdout, stderr } = await run(join(ROOT, 'examples', 'shell-jobs', 'run.sh'), [], env)
  expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('success shell') })
  expect(stdout).toContain('hello from ')
  expect(stdout).toMatch(/dead.*echo oops/)
  expect(stdout).toMatch(/total_runs +4\nfailed_runs +1\n/)
}, 60_000)

describeServer('nightly-report', (startServer) => {
  it('the example nightly-report runs', async () => {
    const { url } = await startServer()
    const { code, stdout, stderr } = await example('nightly-report/main', [], { QUEUE_URL: url })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout.split('\n')).toEqual([
      'Every day at 02:30, Europe/Berlin',
      expect.stringMatching(/^2026-03-29T01:00:00\.000Z {2}The clocks go forward/),
      '2026-03-30T00:30:00.000Z',
      expect.stringMatching(/^report of \d{4}-\d\d-\d\d as pdf, 0 nights missed$/),
      '',
    ])
  }, 60_000)
})

describeServer('typed-client-and-worker', (startServer) => {
  it('the example typed-client-and-worker runs as two processes', async () => {
    const { url } = await startServer()
    const env = { QUEUE_URL: url }
    const worker = spawn(process.execPath, [compiled('examples/typed-client-and-worker/worker')], {
      cwd: ROOT,
      env: { ...ENV, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    onTestFinished(() => void worker.kill('SIGKILL'))
    let output = ''
    worker.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
    const ended = new Promise<number | null>((resolve) => worker.once('close', resolve))
    const produced = await example('typed-client-and-worker/producer', ['Ada', 'Grace'], env)
    expect(produced).toEqual({ code: 0, stdout: 'Hello, Ada!\nHello, Grace!\n', stderr: '' })
    worker.kill('SIGTERM')
    expect(await ended).toBe(0)
    expect(output).toMatch(/^claimed greet /)
    expect(output).toMatch(/stopped\n$/)
  }, 60_000)
})

it('the example dashboard-in-express runs', async () => {
  const child = spawn(
    process.execPath,
    [compiled('examples/dashboard-in-express/main'), join(await tempFolder(), 'app.db')],
    { cwd: ROOT, env: { ...ENV, PORT: '0' }, stdio: ['ignore', 'pipe', 'inherit'] },
  )
  onTestFinished(() => void child.kill('SIGKILL'))
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output += text
  })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  await until(() => output.includes('\n'))
  const url = output.trim()
  const statusOf = async (path: string, key: string) =>
    (await fetch(`${url}${path}`, { headers: { 'x-api-key': key } })).status
  expect([await statusOf('', 'key-of-ann'), await statusOf('/trpc/stats', 'key-of-bob')]).toEqual([200, 200])
  expect([await statusOf('', ''), await statusOf('/trpc/stats', 'guess')]).toEqual([403, 403])
  const stream = await fetch(`${url}/trpc/events`, { headers: { 'x-api-key': 'key-of-ann' } })
  expect(stream.status).toBe(200)
  child.kill('SIGTERM')
  expect([await ended, output]).toEqual([0, `${url}\nclosed\n`])
})

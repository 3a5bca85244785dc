/** Full disk: running jobs can be settled, new jobs are refused until there is space. */
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { compiled } from '../support/compiled/compiled.ts'
import { until } from '../support/engine.ts'
import { startProgram } from '../support/programs/program.ts'
import { type Answer, call } from '../support/server.ts'
import { fillDisk, freeBytes, freeDisk, onSmallDisk, seenBy, whyNoSmallDisk } from '../support/store/small-disk.ts'
import { tempFolder } from '../support/temp.ts'

const MIB = 1_048_576
/** A disk of 16 MiB holds about sixty of these payloads. */
const LARGE = 'x'.repeat(200_000)
const reason = whyNoSmallDisk()

interface Held {
  readonly id: string
  readonly version: number
}

async function startOnDisk(bytes: number) {
  const folder = await tempFolder()
  const disk = join(folder, 'disk')
  mkdirSync(disk)
  const program = startProgram(folder, { DB_PATH: join(disk, 'queue.db') }, onSmallDisk(disk, bytes))
  const url = `http://127.0.0.1:${await program.listening}`
  const seen = seenBy(program.child.pid, disk)
  return { program, url, disk: seen, reserve: join(seen, 'queue.db.reserve') }
}

type Server = Awaited<ReturnType<typeof startOnDisk>>

const enqueue = (server: Server, payload: unknown) => call(server, 'enqueue', 'mutation', { type: 'mail', payload })

async function claim(server: Server, limit: number): Promise<readonly Held[]> {
  const answer = await call(server, 'claim', 'mutation', { worker: 'w', limit, leaseMs: 600_000 })
  expect(answer).toMatchObject({ status: 200 })
  return (answer.body as { result: { data: Held[] } }).result.data
}

const complete = (server: Server, { id, version }: Held) =>
  call(server, 'complete', 'mutation', { id, version, result: { done: id } })

async function fillWithJobs(server: Server): Promise<void> {
  let { status } = await enqueue(server, LARGE)
  for (let n = 0; n < 80 && status === 200; n++) status = (await enqueue(server, LARGE)).status
  expect(status).toBe(507)
}

const statuses = (answers: readonly Answer[]) => [...new Set(answers.map(({ status }) => status))]

const subject = `a disk that is full${reason === null ? '' : ` (skipped: ${reason})`}`

describe.skipIf(reason !== null)(subject, { timeout: 60_000 }, () => {
  it('completes running jobs, refuses new ones, and accepts new ones when there is space again', async () => {
    const server = await startOnDisk(8 * MIB)
    await until(() => existsSync(server.reserve))
    expect(statSync(server.reserve).mode & 0o777).toBe(0o600)
    const jobs = Array.from({ length: 300 }, (_, n) => ({ type: 'mail', payload: { n, text: 'x'.repeat(2_000) } }))
    expect((await call(server, 'enqueueMany', 'mutation', { jobs })).status).toBe(200)
    const running = await claim(server, 100)
    fillDisk(server.disk)
    expect(freeBytes(server.disk)).toBe(0)

    const answers: Answer[] = []
    for (const job of running) answers.push(await complete(server, job))
    expect([answers.length, statuses(answers)]).toEqual([100, [200]])
    expect((await enqueue(server, 1)).status).toBe(507)
    expect(await (await fetch(`${server.url}/ready`)).json()).toMatchObject({
      problems: ['the disk is full, new jobs are refused'],
    })
    // Waiting jobs are claimed and completed too: the WAL restarts within its space.
    const waiting = [...(await claim(server, 100)), ...(await claim(server, 100))]
    for (const job of waiting) answers.push(await complete(server, job))
    expect([answers.length, statuses(answers)]).toEqual([300, [200]])

    freeDisk(server.disk)
    await until(async () => (await enqueue(server, 1)).status === 200)
    expect(existsSync(server.reserve)).toBe(true)
    expect((await fetch(`${server.url}/ready`)).status).toBe(200)
  })

  it('a disk filled by jobs accepts new ones after old ones are removed', async () => {
    const server = await startOnDisk(16 * MIB)
    await until(() => existsSync(server.reserve))
    await fillWithJobs(server)
    // There is space left, but not for another large job.
    expect((await enqueue(server, 1)).status).toBe(200)
    for (const job of await claim(server, 100)) expect((await complete(server, job)).status).toBe(200)
    expect((await call(server, 'cleanup', 'mutation', { olderThanMs: 0 })).status).toBe(200)
    await until(async () => (await enqueue(server, LARGE)).status === 200)
  })

  it('a disk filled by jobs and another program accepts new jobs after every other job is removed', async () => {
    const server = await startOnDisk(16 * MIB)
    await until(() => existsSync(server.reserve))
    await fillWithJobs(server)
    fillDisk(server.disk)
    // The remaining jobs lie between the removed ones, up to the end of the file.
    const removed = (await claim(server, 100)).filter((_, n) => n % 2 === 0)
    for (const job of removed) expect((await complete(server, job)).status).toBe(200)
    expect((await call(server, 'cleanup', 'mutation', { olderThanMs: 0 })).status).toBe(200)
    await until(async () => (await enqueue(server, LARGE)).status === 200)
  })

  it('a program with an embedded queue finishes its jobs and reopens the queue', async () => {
    const disk = await tempFolder()
    const [command = '', ...words] = [...onSmallDisk(disk, 8 * MIB), process.execPath]
    const { stdout } = await promisify(execFile)(command, [...words, compiled('test/start/full-disk-child'), disk])
    expect(JSON.parse(stdout)).toEqual({
      completed: ['done'],
      refused: 'DISK_FULL',
      free: 0,
      stored: 50,
      pending: 1,
    })
  })
})

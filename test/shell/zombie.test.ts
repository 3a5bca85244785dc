/** A worker frozen (SIGSTOP) past its leases: all its writes are refused, and its commands end. */
import { existsSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { Queue } from '../../shared/queue.ts'
import { tempFolder } from '../support/temp.ts'
import { addCommand, file, outcomes, server } from './support/homes.ts'
import { processesOf } from './support/processes.ts'
import { queuectl } from './support/queuectl.ts'

const WHO = 'echo $PPID > $NAME.tmp && mv $NAME.tmp $NAME.$MILLRACE_JOB_VERSION'
const AGAIN = '[ $MILLRACE_JOB_VERSION = 1 ] || { echo second; exit 0; }'
/** The first run never ends and writes continuously. */
const GOES_ON = `NAME=on; ${WHO}; ${AGAIN}; while :; do echo first; sleep 0.02; done`
/** The first run ends while its worker is frozen. */
const ENDS = `NAME=ends; ${WHO}; ${AGAIN}; while [ ! -e go ]; do sleep 0.02; done; echo first; touch gone`

describe.each([file, server])('a worker that wakes late on $name', (backend) => {
  it('has its writes refused and its commands ended', async () => {
    const { url, queue } = await backend.open()
    const folder = await tempFolder()
    // Long enough that a worker frozen for a second does not abort its commands itself.
    const lease = ['--lease', '5000ms']
    const zombie = await queuectl.startWorkers(url, ...lease, '--concurrency', '2', '--name', 'zombie')
    const on = await addCommand(queue, { command: GOES_ON, cwd: folder })
    const ends = await addCommand(queue, { command: ENDS, cwd: folder })
    const [pidFile, other] = [join(folder, 'on.1'), join(folder, 'ends.1')]
    await expect.poll(() => existsSync(pidFile) && existsSync(other), { timeout: 20_000 }).toBe(true)
    const pid = Number(readFileSync(pidFile, 'utf8'))
    expect(Number(readFileSync(other, 'utf8'))).toBe(pid)

    await stopBetweenWrites(pid, queue, on)
    await writeFile(join(folder, 'go'), '')
    await expect.poll(() => existsSync(join(folder, 'gone')), { timeout: 20_000 }).toBe(true)
    const successor = await queuectl.startWorkers(url, ...lease, '--concurrency', '2', '--name', 'successor')
    await successor.waitFor(({ kind, id }) => kind === 'success' && id === on)
    await successor.waitFor(({ kind, id }) => kind === 'success' && id === ends)
    const before = await spoken(queue, on, ends)
    expect(processesOf(on).length).toBeGreaterThan(0)

    process.kill(pid, 'SIGCONT')
    const skipped = await Promise.all(
      [on, ends].map((job) => zombie.waitFor(({ kind, id }) => kind === 'skipped' && id === job)),
    )
    expect(skipped.map(({ worker }) => worker)).toEqual([
      expect.stringMatching(/^zombie:/),
      expect.stringMatching(/^zombie:/),
    ])
    await expect.poll(() => processesOf(on, ends), { timeout: 20_000 }).toEqual([])
    expect(await spoken(queue, on, ends)).toEqual(before)
    for (const id of [on, ends]) {
      expect(await queue.get({ id })).toMatchObject({
        status: 'completed',
        version: 2,
        lockedBy: expect.stringMatching(/^successor:/),
        result: { exitCode: 0, stdout: 'second' },
      })
      expect(await outcomes(queue, id)).toEqual(['crashed', 'completed'])
    }
    for (const workers of [zombie, successor]) {
      workers.child.kill('SIGTERM')
      expect(await workers.ended).toBe(0)
    }
  }, 90_000)
})

/**
 * A worker frozen during a write holds the file lock, and no other worker could claim. It then runs on until it has extended its lease:
 * several stops in a row would together be longer than the lease, and the worker would end its commands itself.
 */
async function stopBetweenWrites(pid: number, queue: Queue, id: string): Promise<void> {
  for (;;) {
    process.kill(pid, 'SIGSTOP')
    const written = queue.heartbeat({ worker: 'looks in', leases: [] }).then(() => true)
    if (await Promise.race([written, sleep(1_000, false)])) return
    process.kill(pid, 'SIGCONT')
    await written
    const { leaseUntil } = await queue.get({ id })
    await expect
      .poll(async () => (await queue.get({ id })).leaseUntil ?? 0, { timeout: 20_000 })
      .toBeGreaterThan(leaseUntil ?? 0)
  }
}

/** Stored log lines by attempt: the last 1,000 of each. */
async function spoken(queue: Queue, ...ids: readonly string[]) {
  const lines = await Promise.all(ids.map((id) => queue.logs({ id, limit: 1_000 })))
  return lines.map((some) => some.map(({ id, version, line }) => ({ id, version, line })))
}

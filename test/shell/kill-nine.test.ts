/** kill -9 of a worker during a command: the job runs again, and no process of the first run is left. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempFolder } from '../support/temp.ts'
import { addCommand, BACKENDS, file, outcomes } from './support/homes.ts'
import { isRunning, processesOf } from './support/processes.ts'
import { queuectl } from './support/queuectl.ts'

/** `npm run torture:shell` runs many more. */
const KILLS = Number(process.env.TORTURE_KILLS ?? 2)
const MANY = 20
const LEASE_MS = 2_000

/** Prints its worker. The first run keeps running, with a busy child. */
const COMMAND = `echo $PPID > worker.tmp && mv worker.tmp worker.$MILLRACE_JOB_ID.$MILLRACE_JOB_VERSION
[ $MILLRACE_JOB_VERSION = 1 ] || exit 0
(while :; do sleep 0.02; done) &
wait`

describe.each(BACKENDS)('a worker killed -9 on $name', (backend) => {
  it(
    `a killed worker leaves its command to another worker, ${KILLS} times`,
    async () => {
      const { url, queue } = await backend.open()
      const folder = await tempFolder()
      const workers = await queuectl.startWorkers(url, '--count', '2', '--lease', `${LEASE_MS}ms`)
      const late: number[] = []
      for (let round = 0; round < KILLS; round++) {
        const id = await addCommand(queue, { command: COMMAND, cwd: folder })
        const pidFile = join(folder, `worker.${id}.1`)
        await expect.poll(() => existsSync(pidFile), { timeout: 20_000 }).toBe(true)
        process.kill(Number(readFileSync(pidFile, 'utf8')), 'SIGKILL')
        // No heartbeat extends it any more.
        const { leaseUntil } = await queue.get({ id })
        await workers.waitFor((event) => event.kind === 'success' && event.id === id)
        expect(await queue.get({ id })).toMatchObject({ status: 'completed', version: 2, result: { exitCode: 0 } })
        expect(await outcomes(queue, id)).toEqual(['crashed', 'completed'])
        expect(processesOf(id)).toEqual([])
        const [, second] = await queue.attempts({ id })
        late.push((second?.startedAt ?? Number.POSITIVE_INFINITY) - (leaseUntil ?? 0))
      }
      late.sort((a, b) => a - b)
      const seen = `after the end of the lease: ${late.join(', ')} ms`
      expect(late[0], seen).toBeGreaterThanOrEqual(0)
      // A stalled machine extends leases by one period, so only the median of many runs has a bound.
      if (KILLS >= MANY) expect(late[Math.floor(late.length / 2)], seen).toBeLessThanOrEqual(1_000)
      expect(workers.stderr().match(/was killed by SIGKILL; restarting/g)).toHaveLength(KILLS)
      workers.child.kill('SIGTERM')
      expect(await workers.ended).toBe(0)
    },
    60_000 + KILLS * 15_000,
  )
})

describe('a supervisor killed -9', () => {
  it('leaves no process behind: its workers release unfinished jobs and exit', async () => {
    const { url, queue } = await file.open()
    const folder = await tempFolder()
    const id = await addCommand(queue, { command: COMMAND, cwd: folder })
    const workers = await queuectl.startWorkers(url, '--grace', '100ms')
    const pidFile = join(folder, `worker.${id}.1`)
    await expect.poll(() => existsSync(pidFile), { timeout: 20_000 }).toBe(true)
    const worker = Number(readFileSync(pidFile, 'utf8'))
    workers.child.kill('SIGKILL')
    await expect.poll(() => isRunning(worker), { timeout: 20_000 }).toBe(false)
    expect(await queue.get({ id })).toMatchObject({ status: 'pending', attempts: 0 })
    expect(processesOf(id)).toEqual([])
  }, 60_000)
})

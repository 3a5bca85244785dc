/** Shell worker on every backend: stored attempts and stop. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type ShellWorkerOptions, startShellWorker } from '../../server/shell/start-shell-worker.ts'
import { formatWorkerEvent } from '../../server/worker/events.ts'
import type { Queue } from '../../shared/queue.ts'
import { tempFolder } from '../support/temp.ts'
import { addCommand, BACKENDS, file } from './support/homes.ts'
import { processesOf } from './support/processes.ts'

const FINAL = ['completed', 'failed', 'cancelled']

async function finished(queue: Queue, id: string) {
  await expect
    .poll(async () => (await queue.get({ id })).status, { timeout: 30_000, interval: 50 })
    .toSatisfy((status: string) => FINAL.includes(status))
  return queue.get({ id })
}

function start(queue: Queue, options: Partial<ShellWorkerOptions> = {}) {
  const shell = startShellWorker(queue, {
    ...{ name: 'here:00000a/1', types: null, concurrency: 8, leaseMs: 10_000, env: { PATH: process.env.PATH } },
    ...options,
  })
  const lines: string[] = []
  shell.worker.events.onAny((event) => lines.push(formatWorkerEvent(event)))
  onTestFinished(() => shell.stop({ graceMs: 0 }))
  return { ...shell, lines }
}

describe.each(BACKENDS)('a shell worker on $name', (backend) => {
  it('stores the outcome and the output of each attempt', async () => {
    const { queue } = await backend.open()
    const folder = await tempFolder()
    const once = { maxAttempts: 1 }
    const [good, bad, killed, slow, wrong, late, unwanted] = await Promise.all([
      addCommand(queue, { command: "echo out; echo err >&2; printf 'a\\000b\\377'" }),
      addCommand(queue, { command: 'echo reason >&2; exit 4' }, once),
      addCommand(queue, { command: 'kill -KILL $$' }, once),
      addCommand(queue, { command: 'sleep 60 & sleep 60' }, { ...once, timeoutMs: 6_000 }),
      addCommand(queue, { command: '' }),
      addCommand(queue, { command: 'echo late' }, { type: 'backup' }),
      addCommand(queue, { command: 'touch begun; sleep 60 & sleep 60', cwd: folder }),
    ])
    start(queue)
    await expect.poll(() => existsSync(join(folder, 'begun')), { timeout: 30_000 }).toBe(true)
    await queue.cancel({ id: unwanted })

    expect(await finished(queue, good)).toMatchObject({
      status: 'completed',
      result: { exitCode: 0, durationMs: expect.any(Number), stdout: 'out\na�b�' },
    })
    expect((await queue.logs({ id: good })).map(({ stream, line }) => `${stream} ${line}`).sort()).toEqual([
      'stderr err',
      'stdout a�b�',
      'stdout out',
    ])
    expect(await finished(queue, bad)).toMatchObject({ status: 'failed', error: 'Exit code 4: reason' })
    expect(await queue.attempts({ id: bad })).toMatchObject([{ outcome: 'failed', exitCode: 4 }])
    expect(await finished(queue, killed)).toMatchObject({ error: 'Killed by SIGKILL, no output on stderr' })
    expect(await queue.attempts({ id: killed })).toMatchObject([{ outcome: 'failed', exitCode: -9 }])
    expect(await finished(queue, slow)).toMatchObject({ status: 'failed', error: 'Timed out after 6 s', crashes: 0 })
    expect(await finished(queue, wrong)).toMatchObject({ status: 'failed', attempts: 1 })
    expect(await finished(queue, late)).toMatchObject({ status: 'completed', result: { stdout: 'late' } })
    expect(await finished(queue, unwanted)).toMatchObject({ status: 'cancelled', error: 'This job was cancelled.' })
    await expect.poll(() => processesOf(slow, unwanted), { timeout: 10_000 }).toEqual([])
  }, 60_000)
})

describe('stopping a shell worker', () => {
  it('ends running commands and releases their jobs, at once with a second stop', async () => {
    const { queue } = await file.open()
    const folder = await tempFolder()
    const id = await addCommand(queue, { command: 'touch begun; sleep 60 & sleep 60', cwd: folder })
    const { stop, lines } = start(queue)
    await expect.poll(() => existsSync(join(folder, 'begun')), { timeout: 30_000 }).toBe(true)
    const first = stop({ graceMs: 60_000 })
    await stop({ graceMs: 0 })
    await first
    expect(await queue.get({ id })).toMatchObject({ status: 'pending', attempts: 0, version: 1 })
    expect(lines.slice(-2)).toEqual([`released shell ${id}`, 'stopped'])
    expect(processesOf(id)).toEqual([])
  }, 60_000)

  it('an idle shell worker notices a drain', async () => {
    const { queue } = await file.open()
    const { worker } = start(queue)
    const stopped = new Promise<void>((resolve) => worker.events.on('stopped', () => resolve()))
    await expect.poll(async () => (await queue.workers()).length, { timeout: 30_000 }).toBe(1)
    await queue.drainWorker({ worker: worker.name })
    await stopped
    expect(await queue.workers()).toMatchObject([{ name: worker.name, processing: 0 }])
  }, 60_000)
})

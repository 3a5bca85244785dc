/** The four verification steps of QueueCTL, with the real queuectl. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempFolder } from '../support/temp.ts'
import { BACKENDS } from './support/homes.ts'
import { queuectl } from './support/queuectl.ts'

describe.each(BACKENDS)('queuectl on $name', (backend) => {
  it('runs a command, retries and dead-letters it, retries it on demand, and counts', async () => {
    const { url } = await backend.open()
    const folder = await tempFolder()
    const run = async (...args: string[]) => {
      const ran = await queuectl.run(url, ...args)
      expect(ran, args.join(' ')).toMatchObject({ exitCode: 0 })
      return ran.stdout.trim()
    }
    const runJson = async (...args: string[]) => JSON.parse(await run('--json', ...args))
    await run('config', 'set', 'backoff_base', '1')
    const workers = await queuectl.startWorkers(url, '--count', '2')

    // 1. enqueue → worker → status
    const hello = await run('enqueue', '--command', 'echo hello')
    await workers.waitFor(({ kind, id }) => kind === 'success' && id === hello)
    expect(JSON.parse(await run('--json', 'show', hello))).toMatchObject({
      state: 'completed',
      attempts: 0,
      runs: 1,
      history: [{ outcome: 'completed', exitCode: 0 }],
    })
    expect(await run('show', hello)).toMatch(/^attempts +0 failed(.*\n)+ *1 +completed +0 /m)
    expect(JSON.stringify(await runJson('status'))).toContain('"completed":1')

    // 2. failing command → retry → DLQ
    const needs = join(folder, 'needed')
    const failing = await run('enqueue', JSON.stringify({ command: `echo looking; cat ${needs}`, max_retries: 1 }))
    await workers.waitFor(({ kind, id, status }) => kind === 'failed' && id === failing && status === 'retrying')
    await workers.waitFor(({ kind, id, status }) => kind === 'failed' && id === failing && status === 'failed')
    const dead = await runJson('dlq', 'list')
    expect(dead).toMatchObject({ id: failing, state: 'dead', last_error: expect.stringContaining('No such file') })

    // 3. dlq retry → worker success
    await writeFile(needs, 'found\n')
    await run('dlq', 'retry', failing)
    await workers.waitFor(({ kind, id }) => kind === 'success' && id === failing)
    expect(await runJson('show', failing)).toMatchObject({ state: 'completed', attempts: 0 })

    // 4. metrics and logs
    const { history, result } = await runJson('show', failing)
    expect(history.at(-1).finishedAt - history.at(-1).startedAt).toBe(result.durationMs)
    expect(await runJson('stats')).toMatchObject({
      total_runs: 4,
      failed_runs: 2,
      dead_jobs: 0,
      avg_duration: expect.any(Number),
    })
    const log = (await run('logs', failing)).split('\n').filter((line) => !line.includes('attempt'))
    expect(log.filter((line) => line === 'looking')).toHaveLength(3)
    expect(log.at(-1)).toBe('found')
    expect((await run('worker', 'stop')).split('\n')).toHaveLength(2)
    expect(await workers.ended).toBe(0)
  }, 90_000)
})

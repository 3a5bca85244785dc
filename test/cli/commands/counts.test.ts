/** `queuectl status`, `stats`, `types` and `worker list`. */
import { expect, it } from 'vitest'
import { describeBackends } from '../backends.ts'
import { oneOfEach } from '../jobs.ts'

describeBackends('counts', (open) => {
  it('are shown by state in status', async () => {
    const backend = await open()
    await oneOfEach(backend)
    const [status] = (await backend.ctl('status', '--json')).json
    expect(status).toMatchObject({ pending: 2, processing: 1, completed: 1, failed: 1, dead: 2, total: 7, workers: 1 })
    expect(status?.statuses).toEqual({
      scheduled: 1,
      blocked: 0,
      pending: 1,
      processing: 1,
      retrying: 1,
      completed: 1,
      failed: 1,
      cancelled: 1,
    })
    const { stdout } = await backend.ctl('status')
    expect(stdout).toMatch(
      /^pending +2 {3}1 of them not due yet\nprocessing +1\ncompleted +1\nfailed +1 {3}waiting for a retry\n/,
    )
    expect(stdout).toMatch(/^dead +2 {3}1 of them cancelled\ntotal +7\n\nqueue +running\noldest +\S+, waiting for/m)
    expect(stdout).toMatch(
      /^last 15 min +7 enqueued, 1 completed, 2 failed attempts, 1 dead\nworkers +1 worker seen in the last minute$/m,
    )
  })

  it('in stats include the QueueCTL fields total_runs, failed_runs, avg_duration and dead_jobs', async () => {
    const backend = await open()
    expect((await backend.ctl('stats', '--json')).json).toMatchObject([
      { total_runs: 0, avg_duration: null, dead_jobs: 0 },
    ])
    await oneOfEach(backend)
    const [stats] = (await backend.ctl('stats', '--json')).json
    expect(stats).toMatchObject({ total_runs: 3, failed_runs: 2, dead_jobs: 1, window_seconds: null })
    expect(stats?.avg_duration).toBeGreaterThanOrEqual(0)
    expect((await backend.ctl('stats', '--json', '--type', 'f', '--last', '1h')).json).toMatchObject([
      { total_runs: 1, failed_runs: 1, dead_jobs: 1, window_seconds: 3_600 },
    ])
    const { stdout } = await backend.ctl('stats')
    expect(stdout).toMatch(/^all time\ntotal_runs +3\nfailed_runs +2\navg_duration +[^a].*\ndead_jobs +1 now\n/)
    expect((await backend.ctl('stats', '--last', '24h')).stdout).toMatch(/^last 24 h\n(.*\n){2}avg_duration +about /)
    expect(stdout).toMatch(/^TYPE +PENDING +PROCESSING +COMPLETED +FAILED +DEAD\nc +0 +0 +1 +0 +0\n/m)
  })

  it('are shown by type in types, with limits', async () => {
    const { ctl, queue } = await open()
    expect(await ctl('types')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringContaining('No job types yet'),
    })
    await queue.declareTypes({ types: [{ name: 'mail', settings: { rate: 5, maxConcurrency: 7, maxAttempts: 9 } }] })
    await queue.enqueue({ type: 'mail', payload: 1 })
    await queue.enqueue({ type: 'shell', kind: 'command', payload: { command: 'x' }, delayMs: 1_000 })
    const { stdout } = await ctl('types')
    expect(stdout).toMatch(/^mail +job +running +1 +0 +0 +0 +0 +5\/s +7 +9$/m)
    expect(stdout).toMatch(/^shell +command +running +1 +0 +0 +0 +0 +– +– +3$/m)
    expect((await ctl('types', '--json')).json).toMatchObject([
      { name: 'mail', kind: 'job', effective: { rate: 5 }, counts: { pending: 1 } },
      { name: 'shell', kind: 'command', counts: { scheduled: 1 } },
    ])
  })

  it('of workers are shown in worker list, with state and slots', async () => {
    const { ctl, queue } = await open()
    expect(await ctl('worker', 'list')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'No workers seen in the last day.\n',
    })
    await queue.enqueue({ type: 'mail', payload: 1 })
    await queue.claim({ worker: 'ada', types: ['mail', 'sms'], about: { slots: 1_200, version: 'shop 2.14.0' } })
    await queue.claim({ worker: 'old' })
    const { stdout } = await ctl('worker', 'list')
    expect(stdout).toMatch(/^NAME +STATE +PROCESSING +SLOTS +LAST SEEN +VERSION/m)
    expect(stdout).toMatch(/^ada +running +1 +1,200 +(now|\d s ago) +shop 2\.14\.0 .* mail, sms$/m)
    expect(stdout).toMatch(/^old +running +0 +– +(now|\d s ago) +– .* all$/m)
    await queue.drainWorker({ worker: 'ada' })
    expect((await ctl('worker', 'ls', '--json')).json).toMatchObject([
      { name: 'ada', state: 'draining', processing: 1, slots: 1_200, version: 'shop 2.14.0' },
      { name: 'old', slots: null, version: null },
    ])
  })

  it('of workers without heartbeats are stale after 30 s and gone after a minute', async () => {
    const { ctl, place, queue } = await open()
    for (const worker of ['ada', 'bob', 'cid']) await queue.claim({ worker })
    await queue.drainWorker({ worker: 'bob' })
    await place.sql(`UPDATE millrace_workers SET seen_at = seen_at - 31000 WHERE name = 'bob'`)
    await place.sql(`UPDATE millrace_workers SET seen_at = seen_at - 61000 WHERE name = 'cid'`)
    const { json } = await ctl('worker', 'list', '--json')
    expect(json.map(({ name, state }) => [name, state])).toEqual([
      ['ada', 'running'],
      ['bob', 'stale'],
      ['cid', 'gone'],
    ])
  })
})

/** `queuectl list`: filters, table and JSON records. */
import { expect, it } from 'vitest'
import { describeBackends, idOf } from '../backends.ts'
import { oneOfEach } from '../jobs.ts'

describeBackends('list', (open) => {
  it('filters by QueueCTL states and by Millrace statuses', async () => {
    const backend = await open()
    const { ctl } = backend
    expect(await ctl('list')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'No jobs yet; add one with queuectl enqueue.\n',
    })
    const ids = await oneOfEach(backend)
    const listed = async (...argv: string[]) => (await ctl('list', '--json', ...argv)).json.map(({ id }) => id)
    expect(await listed()).toEqual(
      ['processing', 'pending', 'scheduled', 'cancelled', 'retrying', 'failed', 'completed'].map((name) => ids[name]),
    )
    expect(await listed('--state', 'pending')).toEqual([ids.pending, ids.scheduled])
    expect(await listed('--state', 'failed')).toEqual([ids.retrying])
    expect(await listed('--state', 'dead,processing')).toEqual([ids.processing, ids.cancelled, ids.failed])
    expect(await listed('--state', 'scheduled', 'cancelled')).toEqual([ids.scheduled, ids.cancelled])
    expect(await listed('--status', 'failed', 'pending')).toEqual([ids.pending, ids.failed])
    expect(await listed('--type', 'r')).toEqual([ids.retrying])
    expect(await listed('--search', 'no such HOST')).toEqual([ids.failed])
    expect(await listed('--worker', 'worker-1')).toEqual([ids.processing])
    expect(await listed('--sort', 'oldest', '--limit', '2')).toEqual([ids.completed, ids.failed])
    expect(await ctl('list', '--type', 'nothing')).toMatchObject({ code: 0, stdout: '', stderr: 'No jobs match.\n' })
  })

  it('prints a table with the main fields of each job', async () => {
    const backend = await open()
    const ids = await oneOfEach(backend)
    const { stdout, stderr } = await backend.ctl('list', '--limit', '6')
    const lines = stdout.trimEnd().split('\n')
    expect(lines[0]).toMatch(/^ID +STATE +TYPE +RUNS +WHEN +CREATED +WHAT$/)
    expect(lines[1]).toMatch(
      new RegExp(`^${String(ids.processing).slice(-8)}  processing  w +1/3  running .* {"of":"w"}$`),
    )
    expect(lines[3]).toMatch(/ pending +s +0\/3 +due in 60 min +\d{4}-\d\d-\d\dT\S+ \((now|\d+ s ago)\)/)
    expect(lines[4]).toMatch(/ dead +x +0\/3 +cancelled .* ago/)
    expect(lines[5]).toMatch(/ failed +r +1\/3 +retry in 60 min .* ✗ try later$/)
    expect(stderr).toBe('6 of 7 jobs; raise --limit to see more.\n')
  })

  it('prints records with the field names of the API and of QueueCTL', async () => {
    const { ctl, queue } = await open()
    const id = idOf(await ctl('enqueue', '{"command":"echo hi","max_retries":2,"run_after":4102444800}'))
    const [job] = (await ctl('list', '--json')).json
    const { createdAt, updatedAt } = await queue.get({ id })
    expect(job).toMatchObject({
      id,
      command: 'echo hi',
      state: 'pending',
      status: 'scheduled',
      attempts: 0,
      runs: 0,
      max_retries: 2,
      maxAttempts: 3,
      run_after: 4_102_444_800,
      runAt: 4_102_444_800_000,
      created_at: new Date(createdAt).toISOString(),
      updated_at: new Date(updatedAt).toISOString(),
      last_error: null,
      payload: { command: 'echo hi' },
    })
    expect((await ctl('show', id, '--json')).json).toEqual([{ ...job, result: null, history: [] }])
  })

  it('reads as many pages as the limit needs', async () => {
    const { ctl, queue } = await open()
    const jobs = Array.from({ length: 450 }, (_, n) => ({ type: 'mail', payload: n }))
    await queue.enqueueMany({ jobs })
    const listed = (await ctl('list', '--json', '--limit', '420')).json.map(({ payload }) => payload)
    expect(listed).toEqual(Array.from({ length: 420 }, (_, n) => 449 - n))
  })
})

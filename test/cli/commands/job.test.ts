/** `queuectl show` and `explain`, and the forms of a job argument. */
import { expect, it } from 'vitest'
import { describeBackends } from '../backends.ts'
import { oneOfEach } from '../jobs.ts'

describeBackends('one job', (open) => {
  it('is shown with its attempts, by id, start of the id, or dedupe key', async () => {
    const backend = await open()
    const ids = await oneOfEach(backend)
    const { ctl } = backend
    const shown = await ctl('show', String(ids.failed))
    expect(shown.stdout).toMatch(/^state +dead \(failed\)$/m)
    expect(shown.stdout).toMatch(/^attempts +1 failed \(max_retries 0\)\nruns +1 of 1$/m)
    expect(shown.stdout).toMatch(/^error +no such host$/m)
    expect(shown.stdout).toMatch(/^ +1 +failed +6 .* worker-1 +no such host$/m)
    expect(shown.stdout).toMatch(/^payload +\{\n +"of": "f"\n +\}$/m)
    expect((await ctl('show', 'the-pending-one', '--json')).json).toMatchObject([{ id: ids.pending, priority: 4 }])
    const start = String(ids.completed).slice(0, 28).toUpperCase()
    expect((await ctl('show', start)).stdout).toMatch(/^result +\{\n +"fine": true/m)
  })

  it('is found by the last 8 characters of its id, as shown in tables', async () => {
    const { ctl, queue } = await open()
    const [first, second] = await queue.enqueueMany({
      jobs: [
        { type: 'a', payload: 'first' },
        { type: 'b', payload: 'second' },
      ],
    })
    const short = String(second?.id).slice(-8)
    const listed = await ctl('list')
    expect(listed.stdout).toMatch(new RegExp(`^${short} +pending +b `, 'm'))
    expect(listed.stdout).not.toContain(String(second?.id))
    expect((await ctl('show', short.toUpperCase(), '--json')).json).toMatchObject([{ id: second?.id }])
    expect(await ctl('cancel', String(first?.id).slice(-8))).toMatchObject({ code: 0 })
    expect((await queue.get({ id: String(first?.id) })).status).toBe('cancelled')
  })

  it('is found by a dedupe key that looks like a part of an id', async () => {
    const { ctl, queue } = await open()
    for (const dedupeKey of ['2026-11-18', '4711081500', '20261118', 'deadbeef-cafe', 'ABCDEF01']) {
      const { id } = await queue.enqueue({ type: 'report', payload: dedupeKey, dedupeKey })
      expect((await ctl('show', dedupeKey, '--json')).json, dedupeKey).toMatchObject([{ id }])
    }
  })

  it('that does not exist is reported as not found by every command', async () => {
    const { ctl } = await open()
    const gone = '019a8c5e-30c1-7f3a-9d0e-8a4f4f0e7f11'
    for (const verb of ['show', 'explain', 'logs', 'retry', 'run-now', 'cancel', 'delete']) {
      expect(await ctl(verb, gone), verb).toMatchObject({
        code: 3,
        stdout: '',
        stderr: `There is no job ${gone}; it may have been deleted after its retention.\n`,
      })
    }
  })

  it('is rejected if the argument is ambiguous or too short', async () => {
    const { ctl, queue } = await open()
    const [one, two] = await queue.enqueueMany({
      jobs: [
        { type: 'a', payload: 1 },
        { type: 'b', payload: 2 },
      ],
    })
    const common = String(one?.id).slice(0, 8)
    expect(await ctl('show', common)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: `${common} matches several jobs; use the last 8 characters of the id, or the whole id:\n  ${two?.id}  pending  b\n  ${one?.id}  pending  a\n`,
    })
    expect(await ctl('show', common.slice(0, 7))).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('too short'),
    })
    expect(await ctl('show', 'nothing')).toMatchObject({ code: 3, stderr: expect.stringContaining('nor a dedupe key') })
    expect(await ctl('show', '00000000')).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(
        /^No job has an id that ends or starts with 00000000, or that dedupe key\. Use the last 8 characters/,
      ),
    })
    expect(await ctl('show', 'ffffffff-ffff')).toMatchObject({ code: 3, stdout: '' })
    expect(await ctl('show', ' ')).toMatchObject({ code: 2, stderr: expect.stringContaining('The job id is empty') })
    expect(await ctl('show')).toMatchObject({ code: 2, stderr: "Missing required argument 'id'\n" })
  })

  it('is explained', async () => {
    const backend = await open()
    const ids = await oneOfEach(backend)
    expect((await backend.ctl('explain', String(ids.pending))).stdout).toMatch(
      /no worker that takes type p has been seen in the last minute/,
    )
    const failed = await backend.ctl('explain', String(ids.failed))
    expect(failed.stdout).toMatch(
      /^It failed for good after 1 of 1 attempts: no such host\.\n {2}worker-1 reported a failure/,
    )
    expect((await backend.ctl('explain', String(ids.failed), '--json')).json).toMatchObject([{ reason: 'failed' }])
  })
})

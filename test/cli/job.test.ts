/** `queuectl show` and `explain`, and how a job is named. */
import { expect, it } from 'vitest'
import { describeHomes } from './homes.ts'
import { oneOfEach } from './jobs.ts'

describeHomes('one job', (open) => {
  it('is shown with its attempts, found by its id, the beginning of it, or its key', async () => {
    const home = await open()
    const ids = await oneOfEach(home)
    const { ctl } = home
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

  it('is found by the last eight characters of its id, which tables show', async () => {
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

  it('that is not there is not found, by any verb', async () => {
    const { ctl } = await open()
    const gone = '019a8c5e-30c1-7f3a-9d0e-8a4f4f0e7f11'
    for (const verb of ['show', 'explain', 'logs', 'retry', 'run-now', 'cancel', 'delete']) {
      expect(await ctl(verb, gone), verb).toMatchObject({
        code: 3,
        stdout: '',
        stderr: `There is no job ${gone}; it may have been removed by retention.\n`,
      })
    }
  })

  it('must be named well enough', async () => {
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
      stderr: `${common} could be any of these; give the last 8 characters of the id, or all of it:\n  ${two?.id}  pending  b\n  ${one?.id}  pending  a\n`,
    })
    expect(await ctl('show', common.slice(0, 7))).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('too short'),
    })
    expect(await ctl('show', 'nobody')).toMatchObject({ code: 3, stderr: expect.stringContaining('nor a dedupe key') })
    expect(await ctl('show', '00000000')).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(
        /^No job has an id that ends or begins with 00000000, or that dedupe key\. Give the last 8 characters/,
      ),
    })
    expect(await ctl('show', 'ffffffff-ffff')).toMatchObject({ code: 3, stdout: '' })
    expect(await ctl('show', ' ')).toMatchObject({ code: 2, stderr: expect.stringContaining('named by its id') })
    expect(await ctl('show')).toMatchObject({ code: 2, stderr: "Missing required argument 'id'\n" })
  })

  it('is explained', async () => {
    const home = await open()
    const ids = await oneOfEach(home)
    expect((await home.ctl('explain', String(ids.pending))).stdout).toMatch(
      /no worker that takes type p has been seen in the last minute/,
    )
    const failed = await home.ctl('explain', String(ids.failed))
    expect(failed.stdout).toMatch(
      /^It failed for good after 1 of 1 attempts: no such host\.\n {2}worker-1 reported a failure/,
    )
    expect((await home.ctl('explain', String(ids.failed), '--json')).json).toMatchObject([{ reason: 'failed' }])
  })
})

/** queuectl actions: retry, run-now, cancel, delete, cleanup, dlq, pause and resume. */
import { expect, it } from 'vitest'
import type { Backend } from '../backends.ts'
import { describeBackends, idOf } from '../backends.ts'
import { oneOfEach } from '../jobs.ts'

async function statusOf({ queue }: Backend, id: string | undefined): Promise<string> {
  return (await queue.get({ id: String(id) })).status
}

describeBackends('a job action', (open) => {
  it('changes a job and prints its new state', async () => {
    const backend = await open()
    const { ctl } = backend
    const ids = await oneOfEach(backend)
    expect(await ctl('retry', String(ids.failed))).toMatchObject({
      code: 0,
      stdout: `${ids.failed}  pending\n`,
      stderr: '',
    })
    expect(await ctl('retry', String(ids.cancelled))).toMatchObject({ code: 0, stdout: `${ids.cancelled}  pending\n` })
    expect(await ctl('run-now', String(ids.scheduled))).toMatchObject({
      code: 0,
      stdout: `${ids.scheduled}  pending\n`,
    })
    expect((await ctl('cancel', String(ids.retrying), '--json')).json).toEqual([
      { id: ids.retrying, status: 'cancelled', changed: true },
    ])
    expect(await ctl('delete', 'the-pending-one')).toMatchObject({ code: 0, stdout: `${ids.pending}  deleted\n` })
    expect(await ctl('show', String(ids.pending))).toMatchObject({ code: 3 })
    const statuses = await Promise.all(['failed', 'scheduled', 'retrying'].map((name) => statusOf(backend, ids[name])))
    expect(statuses).toEqual(['pending', 'pending', 'cancelled'])
  })

  it('reports when nothing changed, and when a running job has yet to stop', async () => {
    const backend = await open()
    const ids = await oneOfEach(backend)
    expect(await backend.ctl('run-now', String(ids.pending))).toMatchObject({
      code: 0,
      stderr: `${ids.pending} is already pending; nothing changed.\n`,
    })
    expect(await backend.ctl('cancel', String(ids.processing))).toMatchObject({
      code: 0,
      stdout: `${ids.processing}  processing\n`,
      stderr: `${ids.processing} is still running; its worker has been asked to stop it.\n`,
    })
  })

  it('exits with the conflict code if the state does not allow it, and continues with the other jobs', async () => {
    const backend = await open()
    const { ctl } = backend
    const ids = await oneOfEach(backend)
    const ran = await ctl('cancel', String(ids.completed), '00000000-nothing', String(ids.pending))
    expect(ran).toMatchObject({ code: 4, stdout: `${ids.pending}  dead (cancelled)\n` })
    expect(ran.stderr).toMatch(
      /is completed; it can be cancelled only while it is not finished yet\.\n.*nor a dedupe key\.\n$/,
    )
    for (const [verb, name] of [
      ['retry', 'completed'],
      ['run-now', 'completed'],
      ['delete', 'processing'],
    ] as const) {
      expect(await ctl(verb, String(ids[name])), verb).toMatchObject({ code: 4, stdout: '' })
    }
    expect(await ctl('retry')).toMatchObject({ code: 2, stderr: "Missing required argument 'ids'\n" })
  })

  it('is recorded in the audit trail with its actor', async () => {
    const backend = await open()
    const id = idOf(await backend.ctl('enqueue', '--command', 'x'))
    await backend.ctl('cancel', id)
    const [row] = await backend.queue.auditTrail({ target: id })
    // A server takes the actor from the token, not from the request.
    expect(row?.actor).toMatch(backend.kind === 'server' ? /^\w+/ : /^queuectl \(.+\)$/)
    expect(row?.action).toContain('cancel')
  })
})

describeBackends('cleanup', (open) => {
  it('deletes finished jobs of the given states', async () => {
    const backend = await open()
    const { ctl } = backend
    await oneOfEach(backend)
    expect(await ctl('cleanup')).toMatchObject({ code: 0, stdout: '0\n', stderr: '0 jobs deleted.\n' })
    expect(await ctl('cleanup', '--older-than', '0', '--type', 'other')).toMatchObject({ code: 0, stdout: '0\n' })
    expect(await ctl('cleanup', '--older-than', '0')).toMatchObject({
      code: 0,
      stdout: '1\n',
      stderr: '1 job deleted.\n',
    })
    expect((await ctl('cleanup', '--older-than', '0', '--state', 'dead', '--json')).json).toEqual([{ removed: 2 }])
    expect((await backend.queue.counts()).pending).toBe(1)
    expect(await ctl('cleanup', '--state', 'pending')).toMatchObject({
      code: 2,
      stderr: 'cleanup deletes only finished jobs; use the states completed, dead or cancelled.\n',
    })
  })
})

describeBackends('dlq', (open) => {
  it('lists dead letters without cancelled jobs', async () => {
    const backend = await open()
    expect(await backend.ctl('dlq', 'list')).toMatchObject({ code: 0, stdout: '', stderr: 'No dead letters.\n' })
    const ids = await oneOfEach(backend)
    expect((await backend.ctl('dlq', 'list', '--json')).json).toMatchObject([
      { id: ids.failed, state: 'dead', last_error: 'no such host' },
    ])
    const table = await backend.ctl('dlq', 'ls')
    expect([table.stdout.includes(String(ids.failed).slice(-8)), table.stderr]).toEqual([true, '1 dead letter.\n'])
    expect(await backend.ctl('dlq', 'list', '--type', 'x')).toMatchObject({ stdout: '' })
  })

  it('retries single dead letters, but no cancelled job', async () => {
    const backend = await open()
    const { ctl } = backend
    const ids = await oneOfEach(backend)
    const ran = await ctl('dlq', 'retry', String(ids.cancelled), String(ids.failed), String(ids.completed))
    expect(ran).toMatchObject({ code: 4, stdout: `${ids.failed}  pending\n` })
    expect(ran.stderr).toContain(`${ids.cancelled} is dead (cancelled), not a dead letter; use queuectl retry`)
    expect(ran.stderr).toContain(`${ids.completed} is completed, not a dead letter.`)
    expect(await statusOf(backend, ids.cancelled)).toBe('cancelled')
    expect(await backend.queue.get({ id: String(ids.failed) })).toMatchObject({ status: 'pending', attempts: 0 })
  })

  it('retries all dead letters once, but no cancelled job', async () => {
    const backend = await open()
    const { ctl, queue } = backend
    const ids = await oneOfEach(backend)
    const made = await queue.enqueueMany({
      jobs: Array.from({ length: 250 }, () => ({ type: 'many', payload: {}, maxAttempts: 1 })),
    })
    while ((await queue.counts()).pending > 1) {
      const jobs = await queue.claim({ worker: 'worker-1', types: ['many'], limit: 100 })
      const settle = jobs.map(({ id, version }) => ({ kind: 'fail' as const, id, version, error: 'no' }))
      await queue.exchange({ worker: 'worker-1', settle })
    }
    expect(made).toHaveLength(250)
    expect(await ctl('dlq', 'retry', '--all', '--type', 'many')).toMatchObject({
      code: 0,
      stdout: '250\n',
      stderr: '250 dead letters retried.\n',
    })
    expect((await ctl('dlq', 'retry', '--all', '--json')).json).toEqual([
      { id: ids.failed, status: 'pending', changed: true },
    ])
    expect(await statusOf(backend, ids.cancelled)).toBe('cancelled')
    expect((await queue.counts()).failed).toBe(0)
  })

  it('skips a dead letter whose dedupe key another job has taken, and reports it', async () => {
    const { ctl, queue, take } = await open()
    const key = { type: 'mail', payload: 1, dedupeKey: 'k', dedupeUntil: 'finished', maxAttempts: 1 } as const
    const { id } = await queue.enqueue(key)
    await queue.fail({ id, version: (await take('mail')).version, error: 'no' })
    await queue.enqueue(key)
    const ran = await ctl('dlq', 'retry', '--all')
    expect([ran.code, ran.stdout]).toEqual([4, '0\n'])
    expect(ran.stderr).toMatch(
      new RegExp(`^${id} was not retried: Job .* now holds the key k; .*\\n0 dead letters retried, 1 skipped\\.\\n$`),
    )
  })

  it('requires ids or --all', async () => {
    const { ctl } = await open()
    expect(await ctl('dlq', 'retry')).toMatchObject({ code: 2, stderr: expect.stringContaining('or --all for all') })
    expect(await ctl('dlq', 'retry', 'x', '--all')).toMatchObject({ code: 2, stderr: 'Give ids or --all, not both.\n' })
    expect(await ctl('dlq', 'retry', 'x', '--type', 'a')).toMatchObject({
      code: 2,
      stderr: '--type needs --all.\n',
    })
  })
})

describeBackends('pause and resume', (open) => {
  it('stop and restart claims of one type or of the whole queue', async () => {
    const { ctl, queue } = await open()
    await queue.enqueue({ type: 'mail', payload: 1 })
    const claim = async () => (await queue.claim({ worker: 'worker-1' })).length
    expect(await ctl('pause', 'mail')).toMatchObject({
      code: 0,
      stderr: 'Type mail is paused; running jobs continue.\n',
    })
    expect((await ctl('status')).stdout).toMatch(/^queue +running, paused types: mail$/m)
    expect((await ctl('types')).stdout).toMatch(/^mail +job +paused/m)
    expect(await claim()).toBe(0)
    expect((await ctl('pause', '--json')).json).toEqual([{ type: null, paused: true }])
    expect(await ctl('resume', 'mail')).toMatchObject({
      code: 0,
      stderr: 'Type mail is resumed. The whole queue is still paused.\n',
    })
    expect((await ctl('status')).stdout).toMatch(/^queue +paused; resume it with queuectl resume$/m)
    expect(await claim()).toBe(0)
    expect(await ctl('resume')).toMatchObject({ code: 0, stderr: 'The queue is resumed.\n' })
    expect(await claim()).toBe(1)
    expect(await ctl('pause', 'mial')).toMatchObject({ code: 3, stderr: 'There is no type mial; did you mean mail?\n' })
    expect(await ctl('resume', 'nothing-like-it')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('no type nothing'),
    })
  })
})

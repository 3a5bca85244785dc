/** What operators do by queuectl: retry, run now, cancel, delete, clean up, bring back dead letters, pause. */
import { expect, it } from 'vitest'
import type { Home } from './homes.ts'
import { describeHomes, idOf } from './homes.ts'
import { oneOfEach } from './jobs.ts'

async function statusOf({ queue }: Home, id: string | undefined): Promise<string> {
  return (await queue.get({ id: String(id) })).status
}

describeHomes('an act', (open) => {
  it('changes a job and prints what it is now', async () => {
    const home = await open()
    const { ctl } = home
    const ids = await oneOfEach(home)
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
    const statuses = await Promise.all(['failed', 'scheduled', 'retrying'].map((name) => statusOf(home, ids[name])))
    expect(statuses).toEqual(['pending', 'pending', 'cancelled'])
  })

  it('says when nothing changed, and when a worker has yet to answer', async () => {
    const home = await open()
    const ids = await oneOfEach(home)
    expect(await home.ctl('run-now', String(ids.pending))).toMatchObject({
      code: 0,
      stderr: `${ids.pending} was that already; nothing changed.\n`,
    })
    expect(await home.ctl('cancel', String(ids.processing))).toMatchObject({
      code: 0,
      stdout: `${ids.processing}  processing\n`,
      stderr: `${ids.processing} is asked to stop; its worker has yet to answer.\n`,
    })
  })

  it('is refused as a conflict where the state does not allow it, and goes on with the other jobs', async () => {
    const home = await open()
    const { ctl } = home
    const ids = await oneOfEach(home)
    const ran = await ctl('cancel', String(ids.completed), '00000000-nobody', String(ids.pending))
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

  it('is written down with who did it', async () => {
    const home = await open()
    const id = idOf(await home.ctl('enqueue', '--command', 'x'))
    await home.ctl('cancel', id)
    const [row] = await home.queue.auditTrail({ target: id })
    // A server goes by the token, not by what a caller says of itself.
    expect(row?.actor).toMatch(home.kind === 'server' ? /^\w+/ : /^queuectl \(.+\)$/)
    expect(row?.action).toContain('cancel')
  })
})

describeHomes('cleanup', (open) => {
  it('removes finished jobs of the states asked for', async () => {
    const home = await open()
    const { ctl } = home
    await oneOfEach(home)
    expect(await ctl('cleanup')).toMatchObject({ code: 0, stdout: '0\n', stderr: '0 jobs removed.\n' })
    expect(await ctl('cleanup', '--older-than', '0', '--type', 'other')).toMatchObject({ code: 0, stdout: '0\n' })
    expect(await ctl('cleanup', '--older-than', '0')).toMatchObject({
      code: 0,
      stdout: '1\n',
      stderr: '1 job removed.\n',
    })
    expect((await ctl('cleanup', '--older-than', '0', '--state', 'dead', '--json')).json).toEqual([{ removed: 2 }])
    expect((await home.queue.counts()).pending).toBe(1)
    expect(await ctl('cleanup', '--state', 'pending')).toMatchObject({
      code: 2,
      stderr: 'Only finished jobs are cleaned up: completed, dead or cancelled.\n',
    })
  })
})

describeHomes('the dead letters', (open) => {
  it('are listed without what was cancelled', async () => {
    const home = await open()
    expect(await home.ctl('dlq', 'list')).toMatchObject({ code: 0, stdout: '', stderr: 'No dead letters.\n' })
    const ids = await oneOfEach(home)
    expect((await home.ctl('dlq', 'list', '--json')).json).toMatchObject([
      { id: ids.failed, state: 'dead', last_error: 'no such host' },
    ])
    const table = await home.ctl('dlq', 'ls')
    expect([table.stdout.includes(String(ids.failed).slice(-8)), table.stderr]).toEqual([true, '1 dead letter.\n'])
    expect(await home.ctl('dlq', 'list', '--type', 'x')).toMatchObject({ stdout: '' })
  })

  it('are retried one by one, never one that was cancelled', async () => {
    const home = await open()
    const { ctl } = home
    const ids = await oneOfEach(home)
    const ran = await ctl('dlq', 'retry', String(ids.cancelled), String(ids.failed), String(ids.completed))
    expect(ran).toMatchObject({ code: 4, stdout: `${ids.failed}  pending\n` })
    expect(ran.stderr).toContain(`${ids.cancelled} is dead (cancelled), not a dead letter; queuectl retry takes up`)
    expect(ran.stderr).toContain(`${ids.completed} is completed, not a dead letter.`)
    expect(await statusOf(home, ids.cancelled)).toBe('cancelled')
    expect(await home.queue.get({ id: String(ids.failed) })).toMatchObject({ status: 'pending', attempts: 0 })
  })

  it('are retried all at once, each once, and never what was cancelled', async () => {
    const home = await open()
    const { ctl, queue } = home
    const ids = await oneOfEach(home)
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
    expect(await statusOf(home, ids.cancelled)).toBe('cancelled')
    expect((await queue.counts()).failed).toBe(0)
  })

  it('stay where another job has their key by now, and it says so', async () => {
    const { ctl, queue, take } = await open()
    const key = { type: 'mail', payload: 1, dedupeKey: 'k', dedupeUntil: 'finished', maxAttempts: 1 } as const
    const { id } = await queue.enqueue(key)
    await queue.fail({ id, version: (await take('mail')).version, error: 'no' })
    await queue.enqueue(key)
    const ran = await ctl('dlq', 'retry', '--all')
    expect([ran.code, ran.stdout]).toEqual([4, '0\n'])
    expect(ran.stderr).toMatch(
      new RegExp(`^${id} stays: Job .* now holds the key k; .*\\n0 dead letters retried, 1 kept\\.\\n$`),
    )
  })

  it('must be named, or all be meant', async () => {
    const { ctl } = await open()
    expect(await ctl('dlq', 'retry')).toMatchObject({ code: 2, stderr: expect.stringContaining('or --all for all') })
    expect(await ctl('dlq', 'retry', 'x', '--all')).toMatchObject({ code: 2, stderr: 'Give ids or --all, not both.\n' })
    expect(await ctl('dlq', 'retry', 'x', '--type', 'a')).toMatchObject({
      code: 2,
      stderr: '--type goes with --all.\n',
    })
  })
})

describeHomes('a pause', (open) => {
  it('holds for a type, or for the whole queue, until it is resumed', async () => {
    const { ctl, queue } = await open()
    await queue.enqueue({ type: 'mail', payload: 1 })
    const claim = async () => (await queue.claim({ worker: 'worker-1' })).length
    expect(await ctl('pause', 'mail')).toMatchObject({ code: 0, stderr: 'Type mail is paused; what runs goes on.\n' })
    expect((await ctl('status')).stdout).toMatch(/^queue +running, paused types: mail$/m)
    expect((await ctl('types')).stdout).toMatch(/^mail +job +paused/m)
    expect(await claim()).toBe(0)
    expect((await ctl('pause', '--json')).json).toEqual([{ type: null, paused: true }])
    expect(await ctl('resume', 'mail')).toMatchObject({
      code: 0,
      stderr: 'Type mail is resumed. The whole queue is still paused.\n',
    })
    expect((await ctl('status')).stdout).toMatch(/^queue +paused; queuectl resume lets it go on$/m)
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

/** `worker start` and `worker stop`: refused input, output and exit codes. */
import { describe, expect, it } from 'vitest'
import { describeBackends } from '../cli/backends.ts'
import { queuectl } from '../cli/terminal.ts'

describe('worker start', () => {
  it.each([
    [['--count', '0'], 'It must be 1 or more.'],
    [['--count', '257'], '--count must be at most 256.'],
    [['--concurrency', '101'], '--concurrency must be at most 100; --count adds processes.'],
    [['--lease', '10ms'], '--lease must be from 1s to 24h.'],
    [['--lease', '2d'], '--lease must be from 1s to 24h.'],
    [['--grace', 'soon'], 'It must look like 30s'],
    [['--types', ','], '--types needs at least one type.'],
    [['--types', 'a', 'b\nc'], '--types cannot be "b\\nc": not a valid type name.'],
    [['--name', ''], '--name must be 1 to 200 printable characters.'],
    [['--name', 'x'.repeat(201)], '--name must be 1 to 200 printable characters.'],
    [['--name', 'a\nb'], '--name must be 1 to 200 printable characters.'],
    [['--cuont', '2'], 'Did you mean --count?'],
  ])('worker start refuses %j', async (args, words) => {
    const ran = await queuectl(['worker', 'start', ...args], { env: { DB_PATH: '/nowhere/queue.db' } })
    expect([ran.code, ran.stdout]).toEqual([2, ''])
    expect(ran.stderr).toContain(words)
  })

  it('worker start does not create a missing queue', async () => {
    const ran = await queuectl(['worker', 'start'], { env: { DB_PATH: '/nowhere/queue.db' } })
    expect(ran).toMatchObject({ code: 5, stdout: '', stderr: expect.stringContaining('/nowhere/queue.db') })
  })

  it.each([
    ['a server that is not there', 'http://127.0.0.1:9', 'did not respond'],
    ['a reachable database', 'postgres://queue@127.0.0.1:9/queue', '127.0.0.1'],
  ])('worker start fails without %s', async (_, url, words) => {
    const ran = await queuectl(['--url', url, 'worker', 'start'])
    expect(ran).toMatchObject({ code: 5, stdout: '', stderr: expect.stringContaining(words) })
  })
})

describeBackends('worker stop', (open) => {
  it('worker stop drains the named workers and lists them', async () => {
    const { ctl, queue } = await open()
    expect(await ctl('worker', 'stop')).toMatchObject({ code: 0, stdout: '', stderr: 'No shell worker is running.\n' })
    for (const worker of ['a:00000a/1', 'a:00000a/2', 'b:00000b/1']) await queue.heartbeat({ worker, leases: [] })
    expect(await ctl('worker', 'stop', '--name', 'c')).toMatchObject({
      code: 3,
      stderr: 'No worker c is running; see queuectl worker list.\n',
    })
    expect(await ctl('worker', 'stop', '--name', 'b', '--json')).toMatchObject({
      code: 0,
      json: [{ name: 'b:00000b/1', processing: 0 }],
    })
    expect(await ctl('worker', 'stop')).toMatchObject({
      code: 0,
      stdout: 'a:00000a/1\na:00000a/2\n',
      stderr: 'Drained 2 workers.\n',
    })
    const draining = (await queue.workers()).filter(({ drainRequestedAt }) => drainRequestedAt !== null)
    expect(draining).toHaveLength(3)
  })

  it('worker stop waits for running jobs until it is interrupted, or not at all', async () => {
    const { ctl, startCtl, queue, take } = await open()
    await queue.enqueue({ type: 'shell', kind: 'command', payload: { command: 'true' } })
    const job = await take()
    expect(await ctl('worker', 'stop', '--name', 'worker-1', '--no-wait')).toMatchObject({
      code: 0,
      stdout: 'worker-1\n',
      stderr: 'Drained 1 worker; 1 job still running.\n',
    })
    await queue.drainWorker({ worker: 'worker-1', drain: false })
    const interrupted = startCtl({}, 'worker', 'stop', '--name', 'worker-1')
    await expect.poll(async () => (await queue.workers())[0]?.drainRequestedAt).not.toBeNull()
    interrupted.interrupt()
    expect(await interrupted.ended).toMatchObject({
      code: 0,
      stderr: 'Drained 1 worker; 1 job still running.\n',
    })
    await queue.drainWorker({ worker: 'worker-1', drain: false })
    const waiting = startCtl({}, 'worker', 'stop', '--name', 'worker-1')
    await expect.poll(async () => (await queue.workers())[0]?.drainRequestedAt).not.toBeNull()
    await queue.complete({ id: job.id, version: job.version })
    expect(await waiting.ended).toMatchObject({ code: 0, stderr: 'Drained 1 worker.\n' })
  })
})

/** `queuectl logs`: printing and following job output. */
import { expect, it } from 'vitest'
import { until } from '../../support/engine.ts'
import { describeBackends, idOf } from '../backends.ts'
import { ManualClock } from '../manual-clock.ts'

describeBackends('logs', (open) => {
  it('prints the lines to stdout and headings to stderr', async () => {
    const { ctl, ctlWith, queue, take } = await open()
    const id = idOf(await ctl('enqueue', '--command', 'make'))
    expect(await ctl('logs', id)).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'No output yet; the job is pending.\n',
    })
    const first = await take()
    await queue.log({
      id,
      version: first.version,
      lines: [
        { line: 'one', stream: 'stdout' },
        { line: 'oh\u001b[2Jno', stream: 'stderr' },
      ],
    })
    await queue.fail({ id, version: first.version, error: 'exit code 1', retryInMs: 0 })
    const second = await take()
    await queue.log({ id, version: second.version, lines: [{ line: 'two', stream: 'log' }] })
    await queue.complete({ id, version: second.version })
    const plain = await ctl('logs', id)
    expect(plain.stdout).toBe('one\noh\u001b[2Jno\ntwo\n')
    expect(plain.stderr).toMatch(/^── claim 1, .*\n── claim 2, .*\n$/)
    expect((await ctl('logs', id, '--claim', '2')).stdout).toBe('two\n')
    expect((await ctl('logs', id, '--times')).stdout).toMatch(
      /^\d{4}\S+ stdout one\n\d{4}\S+ stderr oh.*\n\d{4}\S+ log {4}two\n$/,
    )
    expect((await ctl('logs', id, '--json')).json.map(({ stream, line }) => [stream, line])).toEqual([
      ['stdout', 'one'],
      ['stderr', 'oh\u001b[2Jno'],
      ['log', 'two'],
    ])
    // On a terminal the output of a job must not clear the screen.
    expect((await ctlWith({ columns: 80 }, 'logs', id)).stdout).toBe('one\n\u001b[31moh�[2Jno\u001b[39m\ntwo\n')
  })

  it('reports how many lines were not kept', async () => {
    const { ctl, queue, take } = await open()
    const id = idOf(await ctl('enqueue', '--command', 'make'))
    const { version } = await take()
    for (let n = 0; n < 12; n++) {
      const lines = Array.from({ length: 100 }, (_, m) => ({
        line: `line ${n * 100 + m + 1}`,
        stream: 'stdout' as const,
      }))
      await queue.log({ id, version, lines })
    }
    const { stdout, stderr } = await ctl('logs', id)
    expect(stdout.slice(0, 9)).toBe('line 201\n')
    expect(stderr).toContain('── 200 lines were not kept: a log keeps the last 1,000 lines of each attempt\n')
  })

  it('follows until the job is finished', async () => {
    const { ctl, startCtl, queue, take } = await open()
    const id = idOf(await ctl('enqueue', '--command', 'make'))
    const clock = new ManualClock()
    const running = startCtl({ clock }, 'logs', '--follow', id)
    await clock.isWaitedFor()
    const { version } = await take()
    await queue.log({ id, version, lines: [{ line: 'one', stream: 'stdout' }] })
    clock.tick()
    await until(() => running.stdout() === 'one\n')
    await clock.isWaitedFor()
    await queue.log({ id, version, lines: [{ line: 'two', stream: 'stdout' }] })
    await queue.complete({ id, version })
    clock.tick()
    const ran = await running.ended
    expect([ran.code, ran.stdout]).toEqual([0, 'one\ntwo\n'])
    expect(ran.stderr).toMatch(/── claim 1, .*\n── completed\n$/)
  })

  it('follows until Ctrl-C', async () => {
    const { ctl, startCtl } = await open()
    const id = idOf(await ctl('enqueue', '--command', 'make'))
    const clock = new ManualClock()
    const running = startCtl({ clock }, 'logs', '-f', id)
    await clock.isWaitedFor()
    running.interrupt()
    expect(await running.ended).toMatchObject({ code: 0, stderr: 'No output yet; the job is pending.\n' })
  })
})

/** Supervisor: restarts with a growing delay, and the reported exit. */
import { type ChildProcess, spawn } from 'node:child_process'
import { expect, it, onTestFinished } from 'vitest'
import { Supervisor } from '../../server/shell/supervisor.ts'
import { TestClock } from '../support/test-clock.ts'

const settings = {
  location: { url: 'sqlite::memory:' },
  name: 'build:0a1b2c',
  types: null,
  concurrency: 1,
  leaseMs: 30_000,
  graceMs: 30_000,
  json: false,
}

interface Started {
  readonly child: ChildProcess
  /** The exit that the supervisor observes. */
  readonly closed: Promise<void>
}

function supervise(count: number, script: (nth: number) => string) {
  const clock = new TestClock()
  const logged: string[] = []
  const started: Started[] = []
  const begin = () => {
    const child = spawn('sh', ['-c', script(started.length)], { stdio: 'ignore' })
    const closed = new Promise<void>((resolve) => child.once('close', () => setImmediate(resolve)))
    onTestFinished(() => void child.kill('SIGKILL'))
    started.push({ child, closed })
    return child
  }
  return {
    clock,
    logged,
    started,
    supervisor: new Supervisor({ settings, count, clock, log: (message) => logged.push(message), fork: begin }),
  }
}

it('restarts a crashed process with a doubling delay', async () => {
  const { clock, logged, started, supervisor } = supervise(1, () => 'exit 3')
  for (const pauseMs of [100, 200, 400, 800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000, 30_000]) {
    const before = started.length
    await started.at(-1)?.closed
    expect(logged.at(-1)).toBe(`build:0a1b2c/1 ended with exit code 3; restarting in ${pauseMs / 1_000} s`)
    await clock.advance(pauseMs - 1)
    expect(started).toHaveLength(before)
    await clock.advance(1)
    expect(started).toHaveLength(before + 1)
  }
  await started.at(-1)?.closed
  supervisor.stop(0)
  // No process was running.
  expect(await supervisor.ended).toBe(true)
  await clock.advance(60_000)
  expect(clock.pendingTimers).toBe(0)
})

it('resets the restart delay after a long uptime', async () => {
  const { clock, logged, started, supervisor } = supervise(1, (nth) => (nth === 0 ? 'exit 1' : 'exec sleep 60'))
  await started[0]?.closed
  await clock.advance(100)
  await clock.advance(10_001)
  started[1]?.child.kill('SIGKILL')
  await started[1]?.closed
  expect(logged.at(-1)).toBe('build:0a1b2c/1 was killed by SIGKILL; restarting in 0.1 s')
  supervisor.stop(0)
  expect(await supervisor.ended).toBe(true)
})

it('does not restart a process that exited cleanly, and ends with the last one', async () => {
  const { started, supervisor, logged } = supervise(2, () => 'exit 0')
  expect(await supervisor.ended).toBe(true)
  expect([started.length, logged]).toEqual([2, []])
})

it('reports a process that crashes while it stops', async () => {
  const { supervisor, logged, started } = supervise(2, () => 'exec sleep 60')
  expect(supervisor.pids).toEqual(started.map(({ child }) => child.pid))
  supervisor.kill()
  expect(await supervisor.ended).toBe(false)
  expect(logged.sort()).toEqual(
    ['1', '2'].map((index) => `build:0a1b2c/${index} was killed by SIGKILL before its jobs were finished`),
  )
})

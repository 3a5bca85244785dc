/** Worker processes that die: started again, ever more slowly; and how the end is told. */
import { type ChildProcess, spawn } from 'node:child_process'
import { expect, it, onTestFinished } from 'vitest'
import { Supervisor } from '../../server/shell/supervisor.ts'
import { TestClock } from '../support/test-clock.ts'

const settings = {
  home: { url: 'sqlite::memory:' },
  name: 'build:0a1b2c',
  types: null,
  concurrency: 1,
  leaseMs: 30_000,
  graceMs: 30_000,
  json: false,
}

interface Started {
  readonly child: ChildProcess
  /** Its end, as the supervisor has heard of it. */
  readonly closed: Promise<void>
}

function supervise(count: number, script: (nth: number) => string) {
  const clock = new TestClock()
  const said: string[] = []
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
    said,
    started,
    supervisor: new Supervisor({ settings, count, clock, say: (words) => said.push(words), begin }),
  }
}

it('starts a process again that died, each time after twice as long, and anew when one lived', async () => {
  const { clock, said, started, supervisor } = supervise(1, () => 'exit 3')
  for (const pauseMs of [100, 200, 400, 800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000, 30_000]) {
    const before = started.length
    await started.at(-1)?.closed
    expect(said.at(-1)).toBe(`build:0a1b2c/1 ended with exit code 3; starting it again in ${pauseMs / 1_000} s`)
    await clock.advance(pauseMs - 1)
    expect(started).toHaveLength(before)
    await clock.advance(1)
    expect(started).toHaveLength(before + 1)
  }
  await started.at(-1)?.closed
  supervisor.stop(0)
  // Nobody was left to be asked.
  expect(await supervisor.ended).toBe(true)
  await clock.advance(60_000)
  expect(clock.pendingTimers).toBe(0)
})

it('starts one that lived for a while again at once', async () => {
  const { clock, said, started, supervisor } = supervise(1, (nth) => (nth === 0 ? 'exit 1' : 'exec sleep 60'))
  await started[0]?.closed
  await clock.advance(100)
  await clock.advance(10_001)
  started[1]?.child.kill('SIGKILL')
  await started[1]?.closed
  expect(said.at(-1)).toBe('build:0a1b2c/1 was killed by SIGKILL; starting it again in 0.1 s')
  supervisor.stop(0)
  expect(await supervisor.ended).toBe(true)
})

it('lets go who ended in good order, and ends with the last', async () => {
  const { started, supervisor, said } = supervise(2, () => 'exit 0')
  expect(await supervisor.ended).toBe(true)
  expect([started.length, said]).toEqual([2, []])
})

it('says so when one dies of being stopped', async () => {
  const { supervisor, said, started } = supervise(2, () => 'exec sleep 60')
  expect(supervisor.pids).toEqual(started.map(({ child }) => child.pid))
  supervisor.kill()
  expect(await supervisor.ended).toBe(false)
  expect(said.sort()).toEqual(
    ['1', '2'].map((index) => `build:0a1b2c/${index} was killed by SIGKILL before it was done`),
  )
})

/** Contract lines of QueueCTL: commands, records, settings and metrics. */
import { expect } from 'vitest'
import { SECOND } from '../../shared/limits.ts'
import { commandBackoff } from '../../shared/settings/backoff.ts'
import { backoffDelayMs } from '../../shared/settings/backoff-delay.ts'
import { type Backend, idOf } from '../cli/backends.ts'
import { differs, kept, type Line } from './line.ts'

const RECORD = [
  'id',
  'command',
  'state',
  'attempts',
  'max_retries',
  'run_after',
  'created_at',
  'updated_at',
  'last_error',
]

export function queuectlLines(backend: Backend): readonly Line[] {
  const { ctl, queue, take } = backend
  const json = async (...argv: readonly string[]) => (await ctl(...argv, '--json')).json
  const enqueue = async (command: string, more: object = {}) =>
    idOf(await ctl('enqueue', JSON.stringify({ command, ...more })))
  const record = async (id: string) => (await json('show', id))[0] ?? {}
  const settle = async (id: string, outcome: 'complete' | 'fail', more: object = {}) => {
    const { version } = await take()
    if (outcome === 'complete') await queue.complete({ id, version, ...more })
    else await queue.fail({ id, version, error: 'Exit code 2: no such file', exitCode: 2, ...more })
  }
  const ended = async (...argv: readonly string[]) => expect((await ctl(...argv)).code).toBe(0)

  return [
    differs(5, 'Python', 'stack'),
    kept(6, 'durable jobs, several workers, backoff, dead letters', 'test/shell/verification.test.ts'),
    kept(14, 'one command line is the interface', () => ended('--help')),
    differs(15, 'the file is queue.db', 'file'),
    kept(16, 'workers claim, execute and record', 'test/shell/shell-worker.test.ts'),
    differs(17, 'logs and metrics are in job_logs', 'job-logs', 'test/shell/run-command.test.ts'),
    kept(25, 'initdb', () => ended('initdb')),
    kept(25, 'enqueue', async () => {
      const id = await enqueue('echo hi')
      expect(id).toMatch(/^[0-9a-f-]{36}$/)
      await settle(id, 'complete', { result: { exitCode: 0, durationMs: 20, stdout: 'hi' } })
    }),
    kept(25, 'list', async () => expect(await json('list')).toHaveLength(1)),
    kept(25, 'status', async () => expect(JSON.stringify(await json('status'))).toContain('"completed":1')),
    kept(25, 'worker start', 'test/shell/worker-start.test.ts'),
    kept(25, 'worker stop', 'test/shell/stop-workers.test.ts'),
    kept(25, 'dlq list', () => ended('dlq', 'list')),
    kept(25, 'dlq retry', async () => {
      const id = await enqueue('false', { max_retries: 0 })
      await settle(id, 'fail')
      await ended('dlq', 'retry', id)
      expect(await record(id)).toMatchObject({ state: 'pending', attempts: 0 })
      await settle(id, 'complete')
    }),
    kept(25, 'stats', () => ended('stats')),
    kept(31, 'a job record has these fields', async () => {
      const id = await enqueue('echo hi')
      expect(Object.keys(await record(id))).toEqual(expect.arrayContaining(RECORD))
      await settle(id, 'complete')
    }),
    kept(32, 'settings are keys and values', async () => {
      await ended('config', 'set', 'max_retries', '4')
      expect((await ctl('config', 'get', 'max_retries')).stdout).toBe('4\n')
      await ended('config', 'unset', 'max_retries')
    }),
    differs(33, 'a log row has attempt, exit_code, duration, stdout, stderr, created_at', 'job-logs', async () => {
      const [job] = await json('list')
      const history = (await record(String(job?.id))).history
      expect(history).toMatchObject([{ version: 1, startedAt: expect.any(Number), finishedAt: expect.any(Number) }])
    }),
    differs(35, 'functions of a Python module', 'stack'),
    kept(37, 'a claim is one transaction', 'test/store/sqlite/conformance.test.ts'),
    kept(40, 'several worker processes', 'test/shell/supervisor.test.ts'),
    kept(42, 'a job is not claimed before run_after', async () => {
      const id = await enqueue('later', { run_after: 4_102_444_800 })
      expect(await queue.claim({ worker: 'w', types: ['shell'] })).toEqual([])
      await ended('cancel', id)
    }),
    kept(43, 'a command runs in a shell', 'test/shell/run-command.test.ts'),
    kept(44, 'its duration is recorded', async () => {
      const id = await enqueue('timed')
      await settle(id, 'complete', { result: { exitCode: 0, durationMs: 22, stdout: '' }, durationMs: 22 })
      const { history } = (await record(id)) as { history: readonly Record<string, number>[] }
      expect([history[0]?.exitCode, Number(history[0]?.finishedAt) - Number(history[0]?.startedAt)]).toEqual([0, 22])
    }),
    kept(46, 'too many failures move it to the dead letters', async () => {
      const id = await enqueue('false', { max_retries: 0 })
      await settle(id, 'fail')
      expect((await json('dlq', 'list')).map((job) => job.id)).toEqual([id])
      await ended('delete', id)
    }),
    kept(47, 'workers finish their job on an interrupt', 'test/shell/drain.test.ts'),
    kept(51, 'exit code, stdout and stderr are kept', 'test/shell/run-command.test.ts'),
    kept(60, 'command is the line that was given', async () => {
      const id = await enqueue('echo hi')
      expect(await record(id)).toMatchObject({ command: 'echo hi', state: 'pending' })
      await settle(id, 'complete')
    }),
    kept(61, 'the five states', async () => {
      const states = (await json('list')).map(({ state }) => state)
      expect(
        states.every((state) => ['pending', 'processing', 'completed', 'failed', 'dead'].includes(String(state))),
      ).toBe(true)
    }),
    kept(62, 'attempts counts failures: 0 after a success at once', async () => {
      const id = await enqueue('true')
      await settle(id, 'complete')
      expect(await record(id)).toMatchObject({ state: 'completed', attempts: 0 })
    }),
    kept(63, 'max_retries is 3', async () => {
      const id = await enqueue('echo')
      expect(await record(id)).toMatchObject({ max_retries: 3 })
      await settle(id, 'complete')
    }),
    kept(64, 'run_after is in Unix seconds', async () => {
      const id = await enqueue('later', { run_after: 4_102_444_800 })
      expect(await record(id)).toMatchObject({ run_after: 4_102_444_800 })
      await ended('cancel', id)
    }),
    kept(65, 'created_at and updated_at are ISO 8601 in UTC', async () => {
      const [job] = await json('list')
      for (const at of [job?.created_at, job?.updated_at]) expect(new Date(String(at)).toISOString()).toBe(at)
    }),
    differs(67, 'last_error is the text of stderr', 'last-error', async () => {
      const id = await enqueue('cat nothing', { max_retries: 1 })
      await settle(id, 'fail')
      expect(await record(id)).toMatchObject({ state: 'failed', attempts: 1, last_error: 'Exit code 2: no such file' })
      await ended('cancel', id)
    }),
    kept(78, 'the wait is base ** attempts whole seconds', () =>
      expect([1, 2, 3].map((attempt) => backoffDelayMs(commandBackoff(2), attempt, 0.9))).toEqual(
        [2, 4, 8].map((s) => s * SECOND),
      ),
    ),
    kept(85, 'jobs survive a restart', 'test/shell/kill-nine.test.ts'),
    differs(87, 'a job of a worker that crashed stays processing', 'recovery', 'test/shell/kill-nine.test.ts'),
    kept(95, 'a failure adds one to attempts', async () => {
      const id = await enqueue('false', { max_retries: 2 })
      await settle(id, 'fail', { retryInMs: 0 })
      expect(await record(id)).toMatchObject({ attempts: 1, max_retries: 2 })
      await settle(id, 'fail', { retryInMs: 0 })
      await settle(id, 'fail')
      expect(await record(id)).toMatchObject({ attempts: 3, state: 'dead' })
    }),
    kept(97, 'more attempts than max_retries make it dead', async () =>
      expect((await json('list', '--state', 'dead')).length).toBeGreaterThan(0),
    ),
    kept(101, 'dlq retry <job-id>', async () => {
      const [job] = await json('dlq', 'list')
      await ended('dlq', 'retry', String(job?.id))
      await settle(String(job?.id), 'complete')
    }),
    kept(110, 'total_runs, failed_runs and avg_duration of all time', async () => {
      const [stats] = await json('stats')
      expect(stats).toMatchObject({ total_runs: expect.any(Number), failed_runs: 6, avg_duration: expect.any(Number) })
    }),
    kept(113, 'dead_jobs', async () => expect(await json('stats')).toMatchObject([{ dead_jobs: 0 }])),
    kept(121, 'a locked database is waited for', 'test/engine/services/other-commits.test.ts'),
    kept(123, 'an unknown command fails and is retried', 'test/shell/run-command.test.ts'),
    kept(132, 'max_retries and backoff_base are 3 and 2', async () => {
      expect((await ctl('config', 'get', 'max_retries')).stdout).toBe('3\n')
      expect((await ctl('config', 'get', 'backoff_base')).stdout).toBe('2\n')
    }),
    kept(140, 'a timeout', async () => {
      const id = await enqueue('sleep 9', { timeout: '30s' })
      expect(await record(id)).toMatchObject({ timeoutMs: 30_000 })
      await settle(id, 'complete')
    }),
    kept(142, 'priorities', async () => {
      const id = await enqueue('now', { priority: 5 })
      expect(await record(id)).toMatchObject({ priority: 5 })
      await settle(id, 'complete')
    }),
    kept(143, 'a web dashboard', 'test/browser/live.test.ts'),
    kept(144, 'stale jobs run again after a timeout', 'test/engine/services/rescuer.test.ts'),
    kept(145, 'PostgreSQL', 'test/cli/commands/list.test.ts'),
    kept(151, 'enqueue, worker, status', 'test/shell/verification.test.ts'),
    kept(152, 'failing command, retry, dead letter', 'test/shell/verification.test.ts'),
    kept(153, 'dlq retry, worker, success', 'test/shell/verification.test.ts'),
    kept(154, 'numbers and logs', 'test/shell/verification.test.ts'),
    kept(160, 'workers run under systemd', 'test/shell/drain.test.ts'),
  ]
}

/** Contract lines of the task queue specification: modules, retry delays and page. */
import { expect } from 'vitest'
import { PAGE_SIZE } from '../../client/features/jobs/sections/pages.ts'
import type { Engine } from '../../server/engine/engine.ts'
import { readOptions } from '../../server/sdk/tq/options.ts'
import { SECOND } from '../../shared/limits.ts'
import { DEFAULT_BACKOFF } from '../../shared/settings/backoff.ts'
import { backoffDelayMs } from '../../shared/settings/backoff-delay.ts'
import { differs, kept, type Line } from './line.ts'

/** The verb of the queue that replaces each function of the modules. */
const FUNCTIONS: readonly (readonly [at: number, name: string, verb: keyof Engine])[] = [
  [394, 'createTask', 'enqueue'],
  [395, 'getTaskById', 'get'],
  [396, 'listTasks', 'list'],
  [397, 'updateTaskStatus', 'complete'],
  [398, 'deleteTask', 'remove'],
  [399, 'incrementAttempts', 'claim'],
  [400, 'setTaskResult', 'complete'],
  [401, 'setTaskError', 'fail'],
  [415, 'calculateNextRetry', 'fail'],
  [416, 'shouldRunNow', 'explain'],
  [417, 'getReadyTasks', 'claim'],
  [418, 'canExecuteNow', 'claim'],
  [419, 'trackExecution', 'claim'],
  [479, 'registerHandler', 'claim'],
  [480, 'unregisterHandler', 'claim'],
  [481, 'executeTask', 'exchange'],
  [482, 'recoverStaleTasks', 'start'],
  [577, 'start', 'start'],
  [578, 'stop', 'close'],
  [579, 'pause', 'pause'],
  [580, 'resume', 'resume'],
  [581, 'isRunning', 'workers'],
  [582, 'isPaused', 'settings'],
  [583, 'processBatch', 'exchange'],
]

const WAITS: readonly (readonly [at: number, attempt: number, seconds: number])[] = [
  [442, 1, 10],
  [443, 2, 40],
  [444, 3, 160],
  [445, 4, 640],
  [446, 5, 2_560],
  [447, 6, 21_600],
]

export function taskModuleLines(engine: Engine): readonly Line[] {
  const wait = (attempt: number, random = 0.5) => backoffDelayMs(DEFAULT_BACKOFF, attempt, random) / SECOND
  return [
    differs(99, 'no priorities, cancellation, keys, progress or dead letters', 'more'),
    kept(118, 'the timeout is 5 minutes', () => expect(readOptions({}).timeoutMs).toBe(300 * SECOND)),
    differs(121, 'handlers are not stopped', 'handler-timeout', 'test/worker/worker.test.ts'),
    kept(142, 'the poll interval is 1000 ms', () => expect(readOptions({}).waitMs).toBe(1_000)),
    kept(147, 'authentication is up to the application', 'test/rest/host-application.test.ts'),
    ...FUNCTIONS.map(([at, name, verb]) =>
      differs(at, `${name}()`, 'modules', () => expect(typeof engine[verb]).toBe('function')),
    ),
    kept(405, 'ids are UUIDs of version 7', async () => {
      const { id } = await engine.enqueue({ type: 'id', payload: 1 })
      expect(id[14]).toBe('7')
    }),
    differs(406, 'instants are stored in seconds', 'tables'),
    differs(437, 'delay = min(10 * 2^attempts + jitter, 21600)', 'backoff-formula'),
    kept(438, 'jitter is 20 % either way', () => expect([wait(1, 0), wait(1, 1 - Number.EPSILON)]).toEqual([8, 12])),
    kept(439, 'no wait is longer than 6 hours', () => expect(wait(900, 1 - Number.EPSILON)).toBe(21_600)),
    ...WAITS.map(([at, attempt, seconds]) =>
      kept(at, `after attempt ${attempt} about ${seconds} s`, () => expect(wait(attempt)).toBe(seconds)),
    ),
    kept(453, 'a token bucket limits starts per second', 'test/shared/token-bucket.test.ts'),
    kept(464, 'a burst of as many as the limit', 'test/engine/claims/waiters-rate.test.ts'),
    differs(472, 'the limit is per worker instance', 'rate-scope', 'test/tq/workers.test.ts'),
    kept(
      521,
      'the error of a lost worker is Task timeout - worker may have crashed',
      'test/engine/services/rescuer.test.ts',
    ),
    differs(522, 'a lost task waits for its retry delay', 'recovery', 'test/engine/services/rescuer.test.ts'),
    differs(530, 'stale tasks are looked for in each poll cycle', 'maintenance'),
    kept(533, 'a recovered task takes a slot like any other', 'test/engine/services/rescuer.test.ts'),
    kept(545, 'a type without a handler is warned about and left alone', 'test/tq/unhandled.test.ts'),
    kept(552, 'a failure sets error and run_after', 'test/worker/worker.test.ts'),
    kept(562, 'a late settlement is reported and skipped', 'test/worker/lost-claims.test.ts'),
    kept(567, 'any value that a handler throws is caught', 'test/worker/odd-outcomes.test.ts'),
    kept(569, 'claimed, success, failed and skipped are reported', 'test/tq/workers.test.ts'),
    kept(592, 'Recovered n stale tasks is logged', 'test/engine/services/rescuer.test.ts'),
    kept(597, 'while paused nothing is executed', 'test/tq/workers.test.ts'),
    differs(625, 'a batch of 10 tasks per poll', 'batch-size', () => expect(readOptions({}).workerCount).toBe(10)),
    kept(626, 'a stop lets running tasks finish', 'test/tq/life.test.ts'),
    differs(714, 'the page is at /inbox', 'page'),
    kept(724, 'four sections by status, in four colours', 'test/browser/jobs.test.ts'),
    kept(731, 'sections open and close by themselves', 'test/browser/jobs.test.ts'),
    kept(732, 'each shows its count', 'test/browser/jobs.test.ts'),
    kept(737, 'each section has separate pages', 'test/browser/jobs.test.ts'),
    kept(738, 'ten items per page', () => expect(PAGE_SIZE).toBe(10)),
    kept(739, 'previous, next and page numbers', 'test/browser/jobs.test.ts'),
    differs(745, 'a card shows folder, files and slug', 'page'),
    kept(753, 'delete, after a question', 'test/browser/jobs-actions.test.ts'),
    differs(757, 'shadcn/ui', 'stack'),
    kept(827, 'updates in real time', 'test/browser/live.test.ts'),
    kept(828, 'bulk operations', 'test/browser/jobs-actions.test.ts'),
    differs(829, 'filters inside the sections', 'section-filter', 'test/browser/units/job-filter.test.ts'),
    kept(830, 'search', 'test/browser/units/job-filter.test.ts'),
    kept(831, 'the whole payload of a task', 'test/browser/job.test.ts'),
    kept(832, 'retry of failed tasks', 'test/browser/jobs-actions.test.ts'),
    kept(833, 'export', 'test/http/export.test.ts'),
    kept(834, 'statistics', 'test/browser/live.test.ts'),
    kept(835, 'workers and their state', 'test/browser/workers.test.ts'),
    differs(845, 'Next.js', 'stack'),
    differs(851, 'files of the reference implementation', 'stack'),
  ]
}

/** Contract lines of the task queue specification: `tq`, its types, and mounting. */
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { expect, onTestFinished } from 'vitest'
import {
  createTaskQueueRouter,
  type EnqueueOptions,
  type QueueStats,
  type TaskTypeContext,
  type Tq,
  taskQueueRoutes,
} from '../../server/sdk/entries/tq.ts'
import { SECOND } from '../../shared/limits.ts'
import { send } from '../rest/send.ts'
import type { TestClock } from '../support/test-clock.ts'
import { differs, kept, type Line } from './line.ts'

export interface Program {
  readonly tq: Tq<QueueStats>
  readonly clock: TestClock
}

export function taskProgramLines({ tq, clock }: Program): readonly Line[] {
  /** A new type, and the payloads its handler received. */
  const worker = (type: string, handle: (payload: unknown) => unknown = () => null) => {
    const got: unknown[] = []
    tq(type).setWorker(async (payload) => {
      got.push(payload)
      return handle(payload)
    })
    return got
  }
  const jobs = async (type: string) => (await (await tq.queue()).list({ type, payloads: true })).jobs
  const setting = (at: number, promise: string, set: (type: TaskTypeContext) => TaskTypeContext, expected: object) =>
    kept(at, promise, async () => {
      const type = `setting ${promise}`
      const context = tq(type).setWorker(async () => {})
      expect(set(context)).toBe(context)
      await clock.advance(0)
      const declared = (await (await tq.queue()).types()).find(({ name }) => name === type)?.effective
      expect(declared).toMatchObject(expected)
    })

  return [
    kept(163, 'tq(type) is the context of a type', () => expect(typeof tq('a').add).toBe('function')),
    kept(166, 'add(payload, options?) chains', () => {
      const context = tq('chained')
      expect(context.add({ n: 1 }).add({ n: 2 }, {})).toBe(context)
      expect(tq.stats().byType.chained).toMatchObject({ 'to-do': 2 })
    }),
    kept(167, 'setWorker(handler) runs tasks of the type', async () => {
      const got = worker('crawl')
      tq('crawl').add({ url: 'https://example.com/' })
      await clock.advance(0)
      expect(got).toEqual([{ url: 'https://example.com/' }])
    }),
    kept(168, 'setWorkerCount(count)', 'test/tq/workers.test.ts'),
    setting(169, 'setRateLimit(tasksPerSecond)', (type) => type.setRateLimit(10), { rate: 10 }),
    setting(170, 'setTimeout(seconds)', (type) => type.setTimeout(300), { timeoutMs: 300 * SECOND }),
    setting(171, 'setMaxAttempts(count)', (type) => type.setMaxAttempts(5), { maxAttempts: 5 }),
    setting(171, 'three attempts without it', (type) => type, { maxAttempts: 3 }),
    kept(178, 'a program of this form runs', 'test/tq/spec.test.ts'),
    kept(211, 'pause() stops all workers from taking tasks', async () => {
      const got = worker('paused')
      tq.pause()
      tq('paused').add({})
      await clock.advance(5 * SECOND)
      expect(got).toEqual([])
    }),
    kept(212, 'resume() lets them take tasks again', async () => {
      tq.resume()
      await clock.advance(5 * SECOND)
      expect(tq.stats().byType.paused).toMatchObject({ success: 1 })
    }),
    kept(215, 'stats() returns the counts at once', () => {
      const stats: QueueStats = tq.stats()
      expect(stats).toMatchObject({
        'to-do': expect.any(Number),
        success: expect.any(Number),
        byType: expect.any(Object),
      })
    }),
    kept(218, 'stop() is a promise', 'test/tq/life.test.ts'),
    kept(230, 'payloads are typed', 'test/tq/tq.test-d.ts'),
    kept(284, 'error is the message alone', async () => {
      worker('throws', () => {
        throw new Error('no route to host')
      })
      tq('throws').add({})
      await clock.advance(0)
      expect(await jobs('throws')).toMatchObject([{ status: 'retrying', error: 'no route to host' }])
    }),
    kept(283, 'what a handler returns is the result', async () => {
      worker('returns', () => ({ pages: 3 }))
      tq('returns').add({})
      await clock.advance(0)
      expect(await jobs('returns')).toMatchObject([{ status: 'completed', result: { pages: 3 } }])
    }),
    kept(661, 'init takes db, pollInterval and batchSize', 'test/tq/spec.test.ts'),
    kept(681, 'add stores a task', async () => {
      tq('stored').add({ to: 'user@example.com', subject: 'Welcome' })
      expect(await jobs('stored')).toMatchObject([{ payload: { to: 'user@example.com', subject: 'Welcome' } }])
    }),
    kept(692, 'run_after is a Date', async () => {
      const options: EnqueueOptions = { run_after: new Date(clock.now() + 60 * SECOND) }
      tq('dated').add({}, options)
      expect(await jobs('dated')).toMatchObject([{ status: 'scheduled', runAt: clock.now() + 60 * SECOND }])
    }),
    kept(894, 'the types have the names of the specification', 'test/tq/tq.test-d.ts'),
    kept(899, 'payloads without a type parameter are not checked', 'test/tq/tq.test-d.ts'),
    kept(905, 'stats() is typed as the counts', 'test/tq/tq.test-d.ts'),
    kept(913, 'taskTimeout is 300 seconds', 'test/tq/workers.test.ts'),
    differs(966, 'the classes TaskManager, Scheduler, Executor and Worker', 'modules'),
    kept(1035, "the application's own connection is used", 'test/tq/add.test.ts'),
    differs(1036, 'the application creates the table', 'tables', 'test/tq/add.test.ts'),
    differs(1051, 'MySQL', 'mysql'),
    kept(1060, 'a new SQLite file', 'test/tq/spec.test.ts'),
    kept(1077, 'createTaskQueueRouter() in Express', async () => {
      const host = await listen(express().use('/api/task-queue', createTaskQueueRouter(tq)))
      expect((await send(host, 'GET /api/task-queue/tasks?type=stored')).body).toMatchObject([
        { type: 'stored', status: 'to-do' },
      ])
    }),
    kept(1077, 'without a queue it serves the global tq', 'test/rest/host-application.test.ts'),
    kept(1081, 'taskQueueRoutes for Fastify', () => expect(taskQueueRoutes.length).toBeGreaterThan(0)),
    kept(1084, 'the routes in Next.js', 'test/rest/host-application.test.ts'),
    differs(1101, 'the page is at /task-queue', 'page', 'test/browser/mounted.test.ts'),
    kept(1147, 'workers start by themselves', async () => {
      const got = worker('automatic')
      tq('automatic').add({ n: 1 })
      await clock.advance(0)
      expect(got).toEqual([{ n: 1 }])
    }),
    kept(1152, 'init with the database of the application', 'test/tq/add.test.ts'),
    kept(1156, 'your own middleware protects the API', 'test/rest/host-application.test.ts'),
  ]
}

async function listen(handler: RequestListener): Promise<{ readonly url: string }> {
  const server = createServer(handler)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

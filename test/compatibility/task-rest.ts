/** Contract lines of the task queue specification: data model and REST API. */
import { existsSync } from 'node:fs'
import { expect } from 'vitest'
import type { Task } from '../../server/http/rest/task.ts'
import { outcome, send } from '../rest/send.ts'
import type { TestServer } from '../support/server.ts'
import { differs, kept, type Line } from './line.ts'

const FIELDS = [
  ...['id', 'type', 'payload', 'status', 'attempts', 'last_attempt_at', 'result', 'error', 'run_after'],
  ...['created_at', 'updated_at', 'completed_at'],
]
const LATER = 4_000_000_000

export function taskRestLines(server: TestServer): readonly Line[] {
  const { engine } = server
  const api = (request: string, body?: unknown) => send(server, request.replace(' /', ' /api/task-queue/'), body)
  const create = async (type: string, more: object = {}) =>
    (await api('POST /tasks', { type, payload: { to: 'ada' }, ...more })).body as Task
  const get = async ({ id }: Task) => (await api(`GET /tasks/${id}`)).body as Task
  const listed = async (query: string) => ((await api(`GET /tasks?${query}`)).body as Task[]).map(({ id }) => id)
  const claim = async (type: string) => {
    const [job] = await engine.claim({ worker: 'w', types: [type] })
    return { id: job?.id ?? '', version: job?.version ?? 0 }
  }
  const failed = async (type: string, more: object = { retry: false }) => {
    const task = await create(type)
    await engine.fail({ ...(await claim(type)), error: 'boom', ...more })
    return get(task)
  }
  const done = async (type: string) => {
    const task = await create(type)
    await engine.complete({ ...(await claim(type)), result: { messageId: 'abc' } })
    return get(task)
  }
  const field = (at: number, name: keyof Task, promise: string, value: (task: Task) => unknown) =>
    kept(at, `${name}: ${promise}`, async () => {
      const task = await done(`field-${name}`)
      expect(task[name]).toEqual(value(task))
    })

  return [
    kept(21, 'the API is below /api/task-queue', async () => expect((await api('GET /tasks/stats')).status).toBe(200)),
    kept(42, 'a task begins as to-do', async () => expect(await create('begin')).toMatchObject({ status: 'to-do' })),
    kept(43, 'a claim makes it in-progress', async () => {
      const task = await create('claimed')
      await claim('claimed')
      expect(await get(task)).toMatchObject({ status: 'in-progress', attempts: 1 })
    }),
    kept(45, 'success', async () => expect(await done('fine')).toMatchObject({ status: 'success' })),
    kept(46, 'failure', async () => expect(await failed('bad')).toMatchObject({ status: 'failed' })),
    kept(48, 'a failed task runs again when its time has come', async () => {
      const task = await failed('again', { retryInMs: 0 })
      await claim('again')
      expect(await get(task)).toMatchObject({ status: 'in-progress', attempts: 2 })
    }),
    kept(49, 'with no attempts left failed is final', async () =>
      expect((await failed('final')).completed_at).toEqual(expect.any(Number)),
    ),
    kept(61, 'a failed task has run_after in the future', async () => {
      const task = await failed('waits', { retryInMs: 60_000 })
      expect([task.status, task.completed_at, Number(task.run_after) > task.updated_at]).toEqual(['failed', null, true])
    }),
    kept(250, 'GET /api/tasks/:id', async () => {
      const task = await create('short')
      expect(await outcome(server, `GET /api/tasks/${task.id}`)).toEqual([200, task])
      expect((await send(server, 'GET /api/tasks/018f6f0e-0000-7000-8000-00000000dead')).status).toBe(404)
    }),
    kept(251, 'GET /api/tasks', async () => expect((await send(server, 'GET /api/tasks')).status).toBe(200)),
    kept(252, 'POST /api/tasks/:id/retry', async () => {
      const task = await failed('retried')
      expect((await send(server, `POST /api/tasks/${task.id}/retry`)).body).toMatchObject({
        status: 'to-do',
        attempts: 0,
      })
    }),
    kept(253, 'DELETE /api/tasks/:id', async () => {
      const task = await done('deleted')
      expect(await outcome(server, `DELETE /api/tasks/${task.id}`)).toEqual([200, { deleted: 1 }])
      expect((await api(`GET /tasks/${task.id}`)).status).toBe(404)
    }),
    kept(254, 'DELETE /api/tasks', async () => {
      await done('bulk')
      expect(await outcome(server, 'DELETE /api/tasks?older_than=0&type=bulk')).toEqual([200, { deleted: 1 }])
    }),
    kept(255, 'GET /api/tasks/stats', async () =>
      expect((await send(server, 'GET /api/tasks/stats')).status).toBe(200),
    ),
    kept(256, 'POST /api/tasks/pause', async () => {
      expect(await outcome(server, 'POST /api/tasks/pause')).toEqual([200, { paused: true }])
      expect(await claim('begin')).toMatchObject({ version: 0 })
    }),
    kept(257, 'POST /api/tasks/resume', async () =>
      expect(await outcome(server, 'POST /api/tasks/resume')).toEqual([200, { paused: false }]),
    ),
    kept(258, 'POST /api/tasks/rate-limit', async () => {
      expect(await outcome(server, 'POST /api/tasks/rate-limit', { rps: 100_000 })).toEqual([200, { rps: 100_000 }])
      expect(await outcome(server, 'POST /api/tasks/rate-limit', { rps: null })).toEqual([200, { rps: null }])
    }),
    differs(272, 'a table tasks', 'tables'),
    kept(276, 'an id is a UUID of version 7', async () =>
      expect((await create('id')).id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
    ),
    kept(277, 'a type has up to 255 characters', async () => {
      expect((await create('t'.repeat(255))).type).toHaveLength(255)
      expect((await api('POST /tasks', { type: 't'.repeat(256), payload: 1 })).status).toBe(400)
    }),
    field(278, 'payload', 'any JSON', () => ({ to: 'ada' })),
    kept(279, 'four statuses', async () => {
      const { body } = await api('GET /tasks/stats')
      expect(Object.keys(body as object)).toEqual(['to-do', 'in-progress', 'success', 'failed', 'byType'])
    }),
    kept(280, 'the version grows by one with each claim', async () => {
      const task = await create('version')
      const { version } = await claim('version')
      expect([version, (await engine.get({ id: task.id })).version]).toEqual([1, 1])
    }),
    field(281, 'attempts', 'counts executions', () => 1),
    field(282, 'last_attempt_at', 'Unix seconds of the last execution', ({ completed_at }) =>
      expect.toSatisfy((at: number) => Number.isInteger(at) && at <= Number(completed_at)),
    ),
    field(283, 'result', 'of a success', () => ({ messageId: 'abc' })),
    kept(284, 'error: the message of a failure', async () => expect((await failed('message')).error).toBe('boom')),
    kept(285, 'run_after: not before this second', async () => {
      const task = await create('later', { run_after: LATER })
      expect([task.run_after, await claim('later')]).toEqual([LATER, { id: '', version: 0 }])
    }),
    field(286, 'created_at', 'Unix seconds', () => expect.any(Number)),
    field(287, 'updated_at', 'Unix seconds', ({ completed_at }) => completed_at),
    field(288, 'completed_at', 'when it is final', ({ updated_at }) => updated_at),
    differs(294, 'three indexes', 'tables'),
    kept(308, 'to-do, in-progress, success', async () => expect((await done('walk')).status).toBe('success')),
    kept(314, 'a failed task stays failed until it is claimed again', async () => {
      const task = await failed('due', { retryInMs: 0 })
      expect([task.status, await listed('status=failed&type=due'), await listed('status=to-do&type=due')]).toEqual([
        'failed',
        [task.id],
        [],
      ])
    }),
    kept(319, 'three attempts by default', async () => {
      const task = await create('three')
      for (let n = 0; n < 3; n++) await engine.fail({ ...(await claim('three')), error: 'x', retryInMs: 0 })
      expect(await get(task)).toMatchObject({ status: 'failed', attempts: 3, completed_at: expect.any(Number) })
    }),
    kept(326, 'EnqueueOptions: run_after in Unix seconds', async () =>
      expect((await create('option', { options: { run_after: LATER } })).run_after).toBe(LATER),
    ),
    kept(332, 'a task has these fields', async () => expect(Object.keys(await done('shape'))).toEqual(FIELDS)),
    kept(356, 'filter by type', async () => {
      const task = await create('only')
      expect(await listed('type=only')).toEqual([task.id])
    }),
    kept(357, 'filter by one status or several', async () => {
      const [one, two] = [await done('mixed'), await create('mixed')]
      expect(await listed('type=mixed&status=success')).toEqual([one.id])
      for (const several of [
        'status=success,to-do',
        'status=success&status=to-do',
        'status[]=success&status[]=to-do',
      ]) {
        expect(await listed(`type=mixed&${several}`)).toEqual([two.id, one.id])
      }
      expect((await api('GET /tasks?statuses=failed')).status).toBe(400)
    }),
    kept(358, 'limit is 50 by default', async () => {
      await engine.enqueueMany({ jobs: Array.from({ length: 60 }, () => ({ type: 'many', payload: 1 })) })
      expect(await listed('type=many')).toHaveLength(50)
    }),
    kept(359, 'offset is 0 by default', async () => {
      const all = await listed('type=many&limit=60')
      expect(await listed('type=many&limit=5&offset=10')).toEqual(all.slice(10, 15))
    }),
    kept(365, 'statistics by status', async () =>
      expect((await api('GET /tasks/stats')).body).toMatchObject({
        success: expect.any(Number),
        failed: expect.any(Number),
      }),
    ),
    differs(371, 'statistics by type, of the statuses in use', 'extra-fields', async () => {
      const { body } = await api('GET /tasks/stats')
      const many = (body as { byType: Record<string, unknown> }).byType.many
      expect(many).toEqual({ 'to-do': 60, 'in-progress': 0, success: 0, failed: 0 })
    }),
    differs(369, 'failed counts retries that are due', 'due-counts', async () => {
      const { body } = await api('GET /tasks/stats')
      expect((body as { byType: Record<string, unknown> }).byType.due).toMatchObject({ 'to-do': 1, failed: 0 })
    }),
    differs(427, 'order by created_at', 'order', async () => {
      const [first, second] = [await create('fifo'), await create('fifo')]
      expect([(await claim('fifo')).id, (await claim('fifo')).id]).toEqual([first.id, second.id])
    }),
    kept(488, 'of two claims one gets the task', async () => {
      await create('race')
      const got = await Promise.all([claim('race'), claim('race')])
      expect(got.map(({ version }) => version).toSorted()).toEqual([0, 1])
    }),
    kept(551, 'an end names its claim, and an old one changes nothing', async () => {
      const task = await create('stale')
      const old = await claim('stale')
      await engine.release(old)
      await claim('stale')
      await expect(engine.complete(old)).rejects.toMatchObject({ code: 'STALE_CLAIM' })
      expect(await get(task)).toMatchObject({ status: 'in-progress' })
    }),
    kept(637, 'openapi.yaml describes it', async () => {
      expect(existsSync('openapi.yaml')).toBe(true)
      const { paths } = (await send(server, 'GET /openapi.json')).body as { paths: Record<string, object> }
      const tasks = ['', '/{id}', '/{id}/retry', '/{id}/cancel', '/stats', '/pause', '/resume', '/rate-limit']
      for (const path of tasks) expect(Object.keys(paths)).toContain(`/api/tasks${path}`)
      expect(Object.keys(paths)).toContain('/health')
    }),
    kept(642, 'POST /tasks', async () =>
      expect((await api('POST /tasks', { type: 'x', payload: 1 })).status).toBe(201),
    ),
    kept(643, 'GET /tasks/:id', async () => expect(await get(await create('x'))).toMatchObject({ type: 'x' })),
    kept(644, 'GET /tasks', async () => expect((await api('GET /tasks?limit=1')).body).toHaveLength(1)),
    kept(645, 'POST /tasks/:id/retry', async () => {
      const task = await create('busy')
      expect(await outcome(server, `POST /api/task-queue/tasks/${task.id}/retry`)).toEqual([
        409,
        { error: `Task ${task.id} is to-do; only failed tasks can be retried.` },
      ])
    }),
    kept(646, 'DELETE /tasks/:id, of success and failed tasks', async () => {
      const task = await create('kept')
      expect((await api(`DELETE /tasks/${task.id}`)).status).toBe(409)
      expect((await api(`DELETE /tasks/${(await failed('gone')).id}`)).status).toBe(200)
    }),
    kept(647, 'GET /tasks/stats', async () => expect((await api('GET /tasks/stats')).status).toBe(200)),
    kept(648, 'POST /tasks/pause', async () => expect((await api('POST /tasks/pause')).body).toEqual({ paused: true })),
    kept(649, 'POST /tasks/resume', async () =>
      expect((await api('POST /tasks/resume')).body).toEqual({ paused: false }),
    ),
    kept(869, 'POST /tasks/:id/cancel', async () => {
      const task = await create('stopped')
      expect((await api(`POST /tasks/${task.id}/cancel`)).body).toMatchObject({
        status: 'failed',
        completed_at: expect.any(Number),
      })
    }),
  ]
}

/** REST adapter of /api/task-queue/tasks and /api/tasks: tasks as specified. */
import { expect, it } from 'vitest'
import type { Task } from '../../server/http/rest/task.ts'
import { SECOND } from '../../shared/limits.ts'
import { until } from '../support/engine.ts'
import type { TestServer } from '../support/server.ts'
import { describeRest, outcome, send } from './send.ts'

const LATER = 4_000_000_000

async function create(server: TestServer, type = 'mail', more: object = {}): Promise<Task> {
  const { status, body } = await send(server, 'POST /api/tasks', { type, payload: { to: 'ada' }, ...more })
  expect([status, Object.keys(body as Task)]).toEqual([
    201,
    [
      ...['id', 'type', 'payload', 'status', 'attempts', 'last_attempt_at', 'result', 'error', 'run_after'],
      ...['created_at', 'updated_at', 'completed_at'],
    ],
  ])
  return body as Task
}

/** One task in each state: to-do, scheduled, in-progress, success, failed with a retry, failed finally, cancelled. */
async function fill(server: TestServer): Promise<Record<string, Task>> {
  const { engine } = server
  const claim = async (type: string) => {
    const [job] = await engine.claim({ worker: 'w', types: [type] })
    if (!job) throw new Error('nothing to claim')
    return { id: job.id, version: job.version }
  }
  const held = await create(server, 'held')
  await claim('held')
  const done = await create(server, 'done')
  await engine.complete({ ...(await claim('done')), result: { messageId: 'abc' } })
  const retrying = await create(server, 'retrying')
  await engine.fail({ ...(await claim('retrying')), error: 'later', retryInMs: 100_500 })
  const dead = await create(server, 'dead')
  await engine.fail({ ...(await claim('dead')), error: 'never', retry: false })
  const cancelled = await create(server, 'stopped')
  await engine.cancel({ id: cancelled.id })
  return {
    todo: await create(server),
    late: await create(server, 'mail', { run_after: LATER }),
    held,
    done,
    retrying,
    dead,
    cancelled,
  }
}

const get = async (server: TestServer, { id }: Pick<Task, 'id'>) => (await send(server, `GET /api/tasks/${id}`)).body

describeRest('tasks', (startServer) => {
  it('tasks have the specified fields, in Unix seconds, under both paths', async () => {
    const server = await startServer()
    const tasks = await fill(server)
    const { todo, late, held, done, retrying, dead, cancelled } = tasks as Record<string, Task>
    expect(todo).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
      type: 'mail',
      payload: { to: 'ada' },
      status: 'to-do',
      attempts: 0,
      last_attempt_at: null,
      result: null,
      error: null,
      run_after: null,
      created_at: expect.any(Number),
      updated_at: expect.any(Number),
      completed_at: null,
    })
    const job = await server.engine.get({ id: done?.id ?? '' })
    const second = (at: number | null) => Math.floor((at ?? 0) / SECOND)
    expect(await get(server, job)).toEqual({
      ...done,
      status: 'success',
      attempts: 1,
      result: { messageId: 'abc' },
      last_attempt_at: second(job.startedAt),
      updated_at: second(job.updatedAt),
      completed_at: second(job.finishedAt),
    })
    const states = []
    for (const one of [late, held, retrying, dead, cancelled]) {
      const { status, attempts, error: message, completed_at } = (await get(server, one ?? { id: '' })) as Task
      states.push([status, attempts, message, completed_at === null])
    }
    expect(states).toEqual([
      ['to-do', 0, null, true],
      ['in-progress', 1, null, true],
      ['failed', 1, 'later', true],
      ['failed', 1, 'never', false],
      ['failed', 0, null, false],
    ])
    expect(late?.run_after).toBe(LATER)
    const { runAt } = await server.engine.get({ id: retrying?.id ?? '' })
    expect(await get(server, retrying ?? { id: '' })).toMatchObject({ run_after: Math.ceil(runAt / SECOND) })
    expect(await outcome(server, `GET /api/task-queue/tasks/${todo?.id}`)).toEqual([200, todo])
    expect((await server.engine.get({ id: todo?.id ?? '' })).face).toBe('task-queue')
  })

  it('tasks are scheduled by run_after, beside the payload or in options', async () => {
    const server = await startServer()
    const made = []
    for (const more of [
      { run_after: LATER },
      { options: { run_after: LATER } },
      { run_after: LATER, options: { run_after: 1 } },
      { run_after: null },
      { options: {} },
      { run_after: 1 },
      { unknown: true },
    ]) {
      made.push((await create(server, 'mail', more)).run_after)
    }
    expect(made).toEqual([LATER, LATER, LATER, null, null, null, null])
    expect(await server.engine.counts()).toMatchObject({ scheduled: 3, pending: 4 })
  })

  it('tasks are listed newest first, by type and status, in pages', async () => {
    const server = await startServer()
    const { todo, late, held, done, retrying, dead, cancelled } = await fill(server)
    const all = [late, todo, cancelled, dead, retrying, done, held]
    const list = async (query: string) => {
      const { status, body } = await send(server, `GET /api/task-queue/tasks${query}`)
      return [status, (body as Task[]).map(({ id }) => all.findIndex((task) => task?.id === id))]
    }
    expect([await list(''), await list('?type=mail'), await list('?type=unknown')]).toEqual([
      [200, [0, 1, 2, 3, 4, 5, 6]],
      [200, [0, 1]],
      [200, []],
    ])
    expect([await list('?status=to-do'), await list('?status=failed')]).toEqual([
      [200, [0, 1]],
      [200, [2, 3, 4]],
    ])
    for (const query of [
      '?status=success,in-progress',
      '?status=success&status=in-progress',
      '?status=in-progress, success',
    ]) {
      expect(await list(encodeURI(query))).toEqual([200, [5, 6]])
    }
    expect([await list('?limit=2&offset=1'), await list('?offset=5'), await list('?offset=10000')]).toEqual([
      [200, [1, 2]],
      [200, [5, 6]],
      [200, []],
    ])
    const { body } = await send(server, 'GET /api/tasks?type=done')
    expect(body).toEqual([await get(server, done ?? { id: '' })])
    await server.engine.enqueueMany({ jobs: Array.from({ length: 60 }, () => ({ type: 'many', payload: null })) })
    expect(((await send(server, 'GET /api/tasks')).body as Task[]).length).toBe(50)
    expect(((await send(server, 'GET /api/tasks?type=many&limit=200')).body as Task[]).length).toBe(60)
  })

  it('tasks are retried, cancelled and deleted if their status allows it', async () => {
    const server = await startServer()
    const tasks = await fill(server)
    const verdicts = async (act: (id: string) => string) => {
      const all: Record<string, unknown> = {}
      for (const [name, { id }] of Object.entries(tasks)) {
        const { status, body } = await send(server, act(id))
        all[name] = [status, 'error' in (body as object) ? 'error' : ((body as Task).status ?? body)]
      }
      return all
    }
    const no = [409, 'error']
    expect(await verdicts((id) => `DELETE /api/tasks/${id}`)).toEqual({
      ...{ todo: no, late: no, held: no },
      ...{ done: [200, { deleted: 1 }], retrying: [200, { deleted: 1 }] },
      ...{ dead: [200, { deleted: 1 }], cancelled: [200, { deleted: 1 }] },
    })
    const left = { todo: tasks.todo, late: tasks.late, held: tasks.held } as Record<string, Task>
    expect(((await send(server, 'GET /api/tasks')).body as Task[]).length).toBe(3)
    for (const [name, { id }] of Object.entries(left)) {
      const { status, body } = await send(server, `POST /api/tasks/${id}/cancel`)
      expect([name, status, (body as Task).status]).toEqual([name, 200, name === 'held' ? 'in-progress' : 'failed'])
    }
    const retried = await send(server, `POST /api/tasks/${left.todo?.id}/retry`)
    expect([retried.status, retried.body]).toEqual([200, expect.objectContaining({ status: 'to-do', error: null })])
    expect((await send(server, `POST /api/tasks/${left.todo?.id}/retry`)).status).toBe(409)
    expect((await send(server, `POST /api/tasks/${left.held?.id}/retry`)).status).toBe(409)
  })

  it('tasks that succeeded are cleaned up by age', async () => {
    const server = await startServer()
    await fill(server)
    const clean = (query = '') => outcome(server, `DELETE /api/tasks${query}`)
    expect([await clean(), await clean('?older_than=3600')]).toEqual(Array(2).fill([200, { deleted: 0 }]))
    // older_than=0 requires an age of at least a millisecond.
    await until(async () => ((await clean('?older_than=0'))[1] as { deleted: number }).deleted === 1)
    expect(await server.engine.counts()).toMatchObject({ completed: 0, failed: 1, cancelled: 1, retrying: 1 })
  })

  it('tasks are counted, paused, resumed and rate-limited', async () => {
    const server = await startServer()
    await fill(server)
    const { body } = await send(server, 'GET /api/task-queue/tasks/stats')
    const none = { 'to-do': 0, 'in-progress': 0, success: 0, failed: 0 }
    expect(body).toEqual({
      ...{ 'to-do': 2, 'in-progress': 1, success: 1, failed: 3 },
      byType: {
        mail: { ...none, 'to-do': 2 },
        held: { ...none, 'in-progress': 1 },
        done: { ...none, success: 1 },
        retrying: { ...none, failed: 1 },
        dead: { ...none, failed: 1 },
        stopped: { ...none, failed: 1 },
      },
    })
    const settings = () => server.engine.settings()
    expect([await outcome(server, 'POST /api/tasks/pause'), (await settings()).paused]).toEqual([
      [200, { paused: true }],
      true,
    ])
    expect(await outcome(server, 'POST /api/tasks/resume', {})).toEqual([200, { paused: false }])
    expect((await settings()).paused).toBe(false)
    for (const name of ['rps', 'tasksPerSecond', 'tasks_per_second', 'maxRPS', 'rate']) {
      expect(await outcome(server, 'POST /api/tasks/rate-limit', { [name]: 2.5 })).toEqual([200, { rps: 2.5 }])
      expect((await settings()).rate).toBe(2.5)
      expect(await outcome(server, 'POST /api/tasks/rate-limit', { [name]: null })).toEqual([200, { rps: null }])
      expect((await settings()).rate).toBe(null)
    }
  })

  it('tasks stay failed when their retry is due, until they are claimed again', async () => {
    const server = await startServer()
    const { engine } = server
    const task = await create(server)
    const fresh = await create(server)
    const claim = (limit = 1) => engine.claim({ worker: 'w', types: ['mail'], limit })
    const [first] = await claim()
    await engine.fail({ id: task.id, version: first?.version ?? 0, error: 'no route', retryInMs: 0 })
    expect((await engine.get({ id: task.id })).status).toBe('pending')
    const due = { status: 'failed', error: 'no route', completed_at: null, run_after: expect.any(Number) }
    expect(await get(server, task)).toMatchObject(due)
    const listed = async (query: string) =>
      ((await send(server, `GET /api/tasks?${query}`)).body as Task[]).map(({ id, status }) => [id, status])
    expect(await listed('status=failed')).toEqual([[task.id, 'failed']])
    expect(await listed('status[]=failed')).toEqual([[task.id, 'failed']])
    expect(await listed('status=to-do')).toEqual([[fresh.id, 'to-do']])
    expect(await listed('status=to-do,failed')).toHaveLength(2)
    // The retry is due already, so a retry request changes nothing.
    expect(await send(server, `POST /api/tasks/${task.id}/retry`)).toMatchObject({ status: 200, body: due })
    await claim(2)
    expect(await get(server, task)).toMatchObject({ status: 'in-progress', attempts: 2 })
  })

  it('the error for a rejected action names the task and its status', async () => {
    const server = await startServer()
    const { todo, done } = (await fill(server)) as Record<string, Task>
    expect(await outcome(server, `POST /api/tasks/${todo?.id}/retry`)).toEqual([
      409,
      { error: `Task ${todo?.id} is to-do; only failed tasks can be retried.` },
    ])
    expect(await outcome(server, `POST /api/tasks/${done?.id}/cancel`)).toEqual([
      409,
      { error: `Task ${done?.id} is success; only tasks that are not finished can be cancelled.` },
    ])
  })
})

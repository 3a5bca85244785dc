/** REST adapter of /api/task-queue/tasks and /api/tasks: tasks, and controls of the whole queue. */

import { jobId } from '../../../shared/contracts/fields.ts'
import { QueueError } from '../../../shared/errors.ts'
import { limits, SECOND } from '../../../shared/limits.ts'
import type { Queue } from '../../../shared/queue.ts'
import { SOURCES } from '../../../shared/sources.ts'
import { statusesFor, type TaskStatus, taskStatus } from '../../../shared/vocabulary.ts'
import { byMethod, type Handlers, noSuchRoute, type RestRequest, type RestResponse, withFieldNames } from './adapter.ts'
import {
  type Fields,
  isFields,
  isWhole,
  optionalText,
  readObject,
  rejectInput,
  requireKnown,
  single,
  wholeParameter,
} from './fields.ts'
import { type ListFilters, type Task, toTask, toTaskCounts } from './task.ts'

export type TaskVerbs = Pick<
  Queue,
  | 'enqueue'
  | 'get'
  | 'list'
  | 'retry'
  | 'cancel'
  | 'remove'
  | 'cleanup'
  | 'stats'
  | 'pause'
  | 'resume'
  | 'updateSettings'
> & {
  /** Reads the task that this request creates or changes; needs no read scope. */
  readonly stored: Queue['get']
}

const LIMIT = 50
const MAX_PAGES = 20
const LAST_SECOND = Math.floor(limits.instant / SECOND)
/** Names of the rate in the specification. */
const RATES = ['rps', 'tasksPerSecond', 'tasks_per_second', 'maxRPS', 'rate'] as const

/** `request.path` starts after /api/task-queue or /api. */
export function tasksAdapter(queue: TaskVerbs, request: RestRequest): Promise<RestResponse> {
  const [tasks, name, verb, ...more] = request.path
  if (tasks === 'tasks' && more.length === 0) {
    const handlers = verb === undefined ? handlersOf(queue, request, name) : actionHandlers(queue, name, verb)
    if (handlers) return byMethod(request, handlers)
  }
  return noSuchRoute('tasks are at /tasks, /tasks/stats, /tasks/:id, /tasks/:id/retry and /tasks/:id/cancel.')
}

function handlersOf(queue: TaskVerbs, request: RestRequest, name: string | undefined): Handlers {
  switch (name) {
    case undefined:
      return {
        GET: () => list(queue, request.query),
        POST: () => create(queue, request),
        DELETE: () => cleanUp(queue, request.query),
      }
    case 'stats':
      return { GET: () => stats(queue) }
    case 'pause':
      return { POST: () => queue.pause().then(() => ok({ paused: true })) }
    case 'resume':
      return { POST: () => queue.resume().then(() => ok({ paused: false })) }
    case 'rate-limit':
      return { POST: () => limitRate(queue, request) }
    default:
      return {
        GET: async () => ok(toTask(await asTaskError(name, () => queue.get(taskId(name))))),
        DELETE: () => remove(queue, name),
      }
  }
}

function actionHandlers(queue: TaskVerbs, name: string | undefined, verb: string): Handlers | null {
  if (name === undefined || (verb !== 'retry' && verb !== 'cancel')) return null
  return { POST: () => asTaskError(name, () => act(queue, verb, taskId(name))) }
}

async function act(queue: TaskVerbs, verb: 'retry' | 'cancel', id: { readonly id: string }): Promise<RestResponse> {
  try {
    await queue[verb](id)
  } catch (error) {
    if (!(error instanceof QueueError) || error.code !== 'WRONG_STATE' || error.details.status === undefined)
      throw error
    const task = toTask(await queue.stored(id))
    // The retry is due already and runs as soon as a worker is free.
    if (verb === 'retry' && task.status === 'failed' && task.completed_at === null) return ok(task)
    throw new QueueError('WRONG_STATE', `Task ${task.id} is ${task.status}; ${POSSIBLE[verb]}`)
  }
  return ok(toTask(await queue.stored(id)))
}

const POSSIBLE = {
  retry: 'only failed tasks can be retried.',
  cancel: 'only tasks that are not finished can be cancelled.',
}

/** Replaces the queue's NOT_FOUND error, which names a job, by one that names a task. */
async function asTaskError<Value>(name: string, call: () => Promise<Value>): Promise<Value> {
  try {
    return await call()
  } catch (error) {
    if (error instanceof QueueError && error.code === 'NOT_FOUND') throw noTask(name)
    throw error
  }
}

function noTask(name: string): QueueError {
  const shown = name.length > 100 ? `${name.slice(0, 100)}…` : name
  return new QueueError('NOT_FOUND', `There is no task ${shown}; it may have been removed by retention.`)
}

function ok(body: unknown): RestResponse {
  return { status: 200, body }
}

/** Text that is not an id gives the same error as an unknown id. */
function taskId(text: string): { readonly id: string } {
  if (jobId.safeParse(text).success) return { id: text }
  throw noTask(text)
}

async function create(queue: TaskVerbs, { body }: RestRequest): Promise<RestResponse> {
  const fields = await readObject(body, '{"type": "send_email", "payload": {"to": "ada@example.com"}}')
  const { type, payload, options = {} } = fields
  if (typeof type !== 'string' || type === '') return rejectInput('type must be a non-empty string.')
  if (payload === undefined) return rejectInput('payload is required.')
  if (!isFields(options)) return rejectInput('options must be an object.')
  const group = optionalText({ ...options, ...pickField(fields, 'group') }, 'group')
  const job = { type, payload, group, face: SOURCES.tasks, ...runAt({ ...options, ...pickField(fields, 'run_after') }) }
  const { id } = await queue.enqueue(job)
  return { status: 201, body: toTask(await queue.stored({ id })) }
}

/** The field alone if it is given: at the top level it takes precedence over `options`. */
function pickField(fields: Fields, name: string): Fields {
  return fields[name] === undefined ? {} : { [name]: fields[name] }
}

function runAt({ run_after }: Fields): { readonly runAt?: number } {
  if (run_after === undefined || run_after === null) return {}
  if (isWhole(run_after, 0, LAST_SECOND)) return { runAt: run_after * SECOND }
  return rejectInput(`run_after must be a Unix timestamp in whole seconds, from 0 to ${LAST_SECOND}.`)
}

async function list(queue: TaskVerbs, query: URLSearchParams): Promise<RestResponse> {
  const { type, status, limit = LIMIT, offset = 0 } = readFilters(query)
  const filter = { ...(type === undefined ? {} : { type }), ...statusFilter(status), payloads: true }
  const tasks: Task[] = []
  // A search through many jobs returns several pages, each bounded in time.
  let from: { readonly offset: number } | { readonly cursor: string } = { offset }
  for (let pages = 0; tasks.length < limit && pages < MAX_PAGES; pages++) {
    const page = await queue.list({ ...filter, ...from, limit: limit - tasks.length })
    tasks.push(...page.jobs.map(toTask))
    if (page.nextCursor === null) break
    from = { cursor: page.nextCursor }
  }
  return ok(tasks)
}

function readFilters(query: URLSearchParams): ListFilters {
  requireKnown(query, ['type', 'status', 'status[]', 'limit', 'offset'])
  const type = single(query, 'type')
  const statuses = [...query.getAll('status'), ...query.getAll('status[]')].flatMap((text) => text.split(','))
  const limit = wholeParameter(query, 'limit', 1, limits.list)
  const offset = wholeParameter(query, 'offset', 0, limits.offset)
  return {
    ...(type === undefined ? {} : { type }),
    ...(statuses.length === 0 ? {} : { status: statuses.map(taskStatusOf) }),
    ...(limit === undefined ? {} : { limit }),
    ...(offset === undefined ? {} : { offset }),
  }
}

function taskStatusOf(text: string): TaskStatus {
  const found = Object.values(taskStatus).find((status) => status === text.trim())
  return found ?? rejectInput('status must be one or more of to-do, in-progress, success and failed.')
}

/** A job whose retry is due is pending in the queue and `failed` in this API. */
function statusFilter(given: ListFilters['status']) {
  if (given === undefined) return {}
  const taskStatuses = new Set([given].flat())
  const statuses = [...taskStatuses].flatMap((status) => statusesFor(taskStatus, status))
  if (taskStatuses.has('failed') === taskStatuses.has('to-do')) return { status: statuses }
  return taskStatuses.has('failed')
    ? { status: [...statuses, 'pending' as const], pending: 'retried' as const }
    : { status: statuses, pending: 'fresh' as const }
}

async function remove(queue: TaskVerbs, name: string): Promise<RestResponse> {
  const id = taskId(name)
  const { status } = toTask(await asTaskError(name, () => queue.stored(id)))
  if (status === 'to-do' || status === 'in-progress') {
    throw new QueueError('WRONG_STATE', `Task ${name} is ${status}; only success and failed tasks can be deleted.`)
  }
  await queue.remove(id)
  return ok({ deleted: 1 })
}

async function cleanUp(queue: TaskVerbs, query: URLSearchParams): Promise<RestResponse> {
  requireKnown(query, ['older_than', 'type'])
  const olderThan = wholeParameter(query, 'older_than', 0, limits.retentionMs / SECOND)
  const type = single(query, 'type')
  const { removed } = await queue.cleanup({
    status: ['completed'],
    ...(olderThan === undefined ? {} : { olderThanMs: olderThan * SECOND }),
    ...(type === undefined ? {} : { type }),
  })
  return ok({ deleted: removed })
}

async function stats(queue: TaskVerbs): Promise<RestResponse> {
  const { counts, byType } = await queue.stats()
  const types = Object.entries(byType).map(([type, some]) => [type, toTaskCounts(some)])
  return ok({ ...toTaskCounts(counts), byType: Object.fromEntries(types) })
}

async function limitRate(queue: TaskVerbs, { body }: RestRequest): Promise<RestResponse> {
  const fields = await readObject(body, '{"rps": 10}')
  const given = RATES.filter((name) => fields[name] !== undefined)
  const [name] = given
  if (name === undefined || given.length > 1)
    return rejectInput('Send rps, the tasks per second; null takes the limit away.')
  const rps = fields[name]
  if (rps !== null && typeof rps !== 'number')
    return rejectInput(`${name} must be a number of tasks per second, or null.`)
  await withFieldNames({ 'set.rate': name }, () => queue.updateSettings({ set: { rate: rps } }))
  return ok({ rps })
}

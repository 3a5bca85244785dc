/** The face at /api/task-queue/tasks and /api/tasks: create, look, retry, cancel, delete, and control of the whole queue. */
import { jobId } from '../../../shared/contracts/fields.ts'
import { QueueError } from '../../../shared/errors.ts'
import { limits, SECOND } from '../../../shared/limits.ts'
import { FACES } from '../../../shared/sources.ts'
import { statusesFor, type TaskStatus, taskStatus } from '../../../shared/vocabulary.ts'
import type { Queue } from '../../queue/queue.ts'
import { type Answer, type Asked, byMethod, type Handlers, inWords, nothingHere } from './adapter.ts'
import { type Fields, isFields, isWhole, readObject, refuse, requireKnown, single, wholeParameter } from './fields.ts'
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
  /** Reads a task that this very request creates or changes. */
  readonly stored: Queue['get']
}

const LIMIT = 50
const MOST_PAGES = 20
const LAST_SECOND = Math.floor(limits.instant / SECOND)
/** The specification knows the rate by several names. */
const RATES = ['rps', 'tasksPerSecond', 'tasks_per_second', 'maxRPS', 'rate'] as const

/** `path` starts behind /api/task-queue or /api. */
export function tasksFace(queue: TaskVerbs, asked: Asked): Promise<Answer> {
  const [tasks, name, verb, ...more] = asked.path
  if (tasks === 'tasks' && more.length === 0) {
    const handlers = verb === undefined ? handlersOf(queue, asked, name) : actsOf(queue, name, verb)
    if (handlers) return byMethod(asked, handlers)
  }
  return nothingHere('tasks are at /tasks, /tasks/stats, /tasks/:id, /tasks/:id/retry and /tasks/:id/cancel.')
}

function handlersOf(queue: TaskVerbs, asked: Asked, name: string | undefined): Handlers {
  switch (name) {
    case undefined:
      return {
        GET: () => list(queue, asked.query),
        POST: () => create(queue, asked),
        DELETE: () => cleanUp(queue, asked.query),
      }
    case 'stats':
      return { GET: () => stats(queue) }
    case 'pause':
      return { POST: () => queue.pause().then(() => saying({ paused: true })) }
    case 'resume':
      return { POST: () => queue.resume().then(() => saying({ paused: false })) }
    case 'rate-limit':
      return { POST: () => limitRate(queue, asked) }
    default:
      return {
        GET: async () => saying(toTask(await inTaskWords(name, () => queue.get(taskId(name))))),
        DELETE: () => remove(queue, name),
      }
  }
}

function actsOf(queue: TaskVerbs, name: string | undefined, verb: string): Handlers | null {
  if (name === undefined || (verb !== 'retry' && verb !== 'cancel')) return null
  return { POST: () => inTaskWords(name, () => act(queue, verb, taskId(name))) }
}

async function act(queue: TaskVerbs, verb: 'retry' | 'cancel', id: { readonly id: string }): Promise<Answer> {
  try {
    await queue[verb](id)
  } catch (error) {
    if (!(error instanceof QueueError) || error.code !== 'WRONG_STATE' || error.details.status === undefined)
      throw error
    const task = toTask(await queue.stored(id))
    // Its time has come already: it runs as soon as a worker is free.
    if (verb === 'retry' && task.status === 'failed' && task.completed_at === null) return saying(task)
    throw new QueueError('WRONG_STATE', `Task ${task.id} is ${task.status}; ${POSSIBLE[verb]}`)
  }
  return saying(toTask(await queue.stored(id)))
}

const POSSIBLE = {
  retry: 'only failed tasks can be retried.',
  cancel: 'only tasks that are not finished can be cancelled.',
}

/** The queue speaks of jobs; clients of this API know tasks. */
async function inTaskWords<Value>(name: string, call: () => Promise<Value>): Promise<Value> {
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

function saying(body: unknown): Answer {
  return { status: 200, body }
}

/** What is no id is the id of nothing. */
function taskId(text: string): { readonly id: string } {
  if (jobId.safeParse(text).success) return { id: text }
  throw noTask(text)
}

async function create(queue: TaskVerbs, { body }: Asked): Promise<Answer> {
  const fields = await readObject(body, '{"type": "send_email", "payload": {"to": "ada@example.com"}}')
  const { type, payload, options = {} } = fields
  if (typeof type !== 'string' || type === '') return refuse('type must be a non-empty string.')
  if (payload === undefined) return refuse('payload is required.')
  if (!isFields(options)) return refuse('options must be an object.')
  const job = { type, payload, face: FACES.tasks, ...runAt({ ...options, ...without(fields, 'run_after') }) }
  const { id } = await queue.enqueue(job)
  return { status: 201, body: toTask(await queue.stored({ id })) }
}

/** The field itself where it is given, so that it wins over the same in `options`. */
function without(fields: Fields, name: string): Fields {
  return fields[name] === undefined ? {} : { [name]: fields[name] }
}

function runAt({ run_after }: Fields): { readonly runAt?: number } {
  if (run_after === undefined || run_after === null) return {}
  if (isWhole(run_after, 0, LAST_SECOND)) return { runAt: run_after * SECOND }
  return refuse(`run_after must be a Unix timestamp in whole seconds, from 0 to ${LAST_SECOND}.`)
}

async function list(queue: TaskVerbs, query: URLSearchParams): Promise<Answer> {
  const { type, status, limit = LIMIT, offset = 0 } = readFilters(query)
  const filter = { ...(type === undefined ? {} : { type }), ...statusFilter(status), payloads: true }
  const tasks: Task[] = []
  // A search through very many jobs comes in several pages, each bounded in time.
  let from: { readonly offset: number } | { readonly cursor: string } = { offset }
  for (let pages = 0; tasks.length < limit && pages < MOST_PAGES; pages++) {
    const page = await queue.list({ ...filter, ...from, limit: limit - tasks.length })
    tasks.push(...page.jobs.map(toTask))
    if (page.nextCursor === null) break
    from = { cursor: page.nextCursor }
  }
  return saying(tasks)
}

function readFilters(query: URLSearchParams): ListFilters {
  requireKnown(query, ['type', 'status', 'status[]', 'limit', 'offset'])
  const type = single(query, 'type')
  const words = [...query.getAll('status'), ...query.getAll('status[]')].flatMap((text) => text.split(','))
  const limit = wholeParameter(query, 'limit', 1, limits.list)
  const offset = wholeParameter(query, 'offset', 0, limits.offset)
  return {
    ...(type === undefined ? {} : { type }),
    ...(words.length === 0 ? {} : { status: words.map(taskStatusOf) }),
    ...(limit === undefined ? {} : { limit }),
    ...(offset === undefined ? {} : { offset }),
  }
}

function taskStatusOf(text: string): TaskStatus {
  const found = Object.values(taskStatus).find((word) => word === text.trim())
  return found ?? refuse('status must be one or more of to-do, in-progress, success and failed.')
}

/** Retries that are due are pending, and failed here. */
function statusFilter(given: ListFilters['status']) {
  if (given === undefined) return {}
  const words = new Set([given].flat())
  const statuses = [...words].flatMap((word) => statusesFor(taskStatus, word))
  if (words.has('failed') === words.has('to-do')) return { status: statuses }
  return words.has('failed')
    ? { status: [...statuses, 'pending' as const], pending: 'retried' as const }
    : { status: statuses, pending: 'fresh' as const }
}

async function remove(queue: TaskVerbs, name: string): Promise<Answer> {
  const id = taskId(name)
  const { status } = toTask(await inTaskWords(name, () => queue.stored(id)))
  if (status === 'to-do' || status === 'in-progress') {
    throw new QueueError('WRONG_STATE', `Task ${name} is ${status}; only success and failed tasks can be deleted.`)
  }
  await queue.remove(id)
  return saying({ deleted: 1 })
}

async function cleanUp(queue: TaskVerbs, query: URLSearchParams): Promise<Answer> {
  requireKnown(query, ['older_than', 'type'])
  const olderThan = wholeParameter(query, 'older_than', 0, limits.retentionMs / SECOND)
  const type = single(query, 'type')
  const { removed } = await queue.cleanup({
    status: ['completed'],
    ...(olderThan === undefined ? {} : { olderThanMs: olderThan * SECOND }),
    ...(type === undefined ? {} : { type }),
  })
  return saying({ deleted: removed })
}

async function stats(queue: TaskVerbs): Promise<Answer> {
  const { counts, byType } = await queue.stats()
  const types = Object.entries(byType).map(([type, some]) => [type, toTaskCounts(some)])
  return saying({ ...toTaskCounts(counts), byType: Object.fromEntries(types) })
}

async function limitRate(queue: TaskVerbs, { body }: Asked): Promise<Answer> {
  const fields = await readObject(body, '{"rps": 10}')
  const given = RATES.filter((name) => fields[name] !== undefined)
  const [name] = given
  if (name === undefined || given.length > 1)
    return refuse('Send rps, the tasks per second; null takes the limit away.')
  const rps = fields[name]
  if (rps !== null && typeof rps !== 'number') return refuse(`${name} must be a number of tasks per second, or null.`)
  await inWords({ 'set.rate': name }, () => queue.updateSettings({ set: { rate: rps } }))
  return saying({ rps })
}

/** The face at /api/task-queue/tasks and /api/tasks: create, look, retry, cancel, delete, and control of the whole queue. */
import { jobId } from '../../shared/contracts/fields.ts'
import { notFound, QueueError } from '../../shared/errors.ts'
import { FACES } from '../../shared/faces.ts'
import { limits, SECOND } from '../../shared/limits.ts'
import { statusesFor, taskStatus } from '../../shared/vocabulary.ts'
import type { Queue } from '../queue/queue.ts'
import { type Answer, type Asked, byMethod, type Handlers, inWords, nothingHere } from './face.ts'
import { type Fields, isFields, isWhole, readObject, refuse, single, wholeParameter } from './fields.ts'
import { toTask, toTaskCounts } from './task.ts'

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
      return { GET: async () => saying(toTask(await queue.get(taskId(name)))), DELETE: () => remove(queue, name) }
  }
}

function actsOf(queue: TaskVerbs, name: string | undefined, verb: string): Handlers | null {
  if (name === undefined || (verb !== 'retry' && verb !== 'cancel')) return null
  return {
    POST: async () => {
      const id = taskId(name)
      await queue[verb](id)
      return saying(toTask(await queue.stored(id)))
    },
  }
}

function saying(body: unknown): Answer {
  return { status: 200, body }
}

/** What is no id is the id of nothing. */
function taskId(text: string): { readonly id: string } {
  if (jobId.safeParse(text).success) return { id: text }
  throw notFound(text.length > 100 ? `${text.slice(0, 100)}…` : text)
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
  const type = single(query, 'type')
  const words = query
    .getAll('status')
    .flatMap((text) => text.split(','))
    .map((word) => word.trim())
  const page = await queue.list({
    ...(type === undefined ? {} : { type }),
    ...(words.length === 0 ? {} : { status: [...new Set(words.flatMap(statuses))] }),
    limit: wholeParameter(query, 'limit', 1, limits.list) ?? LIMIT,
    offset: wholeParameter(query, 'offset', 0, limits.offset) ?? 0,
    payloads: true,
  })
  return saying(page.jobs.map(toTask))
}

function statuses(word: string) {
  const found = statusesFor(taskStatus, word)
  if (found.length > 0) return found
  return refuse('status must be one or more of to-do, in-progress, success and failed.')
}

async function remove(queue: TaskVerbs, name: string): Promise<Answer> {
  const id = taskId(name)
  const { status } = toTask(await queue.stored(id))
  if (status === 'to-do' || status === 'in-progress') {
    throw new QueueError('WRONG_STATE', `Task ${name} is ${status}; only success and failed tasks can be deleted.`)
  }
  await queue.remove(id)
  return saying({ deleted: 1 })
}

async function cleanUp(queue: TaskVerbs, query: URLSearchParams): Promise<Answer> {
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

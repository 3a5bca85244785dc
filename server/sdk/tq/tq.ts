/** `tq`: jobs in one line of code, with workers that start by themselves. */
import { typeName } from '../../../shared/contracts/fields.ts'
import { QueueError } from '../../../shared/errors.ts'
import type { EnqueueResult } from '../../../shared/job.ts'
import { SECOND } from '../../../shared/limits.ts'
import { refuseUnknownKeys } from '../../../shared/unknown-keys.ts'
import { parseInput } from '../../engine/verbs/input.ts'
import type { Handler } from '../../worker/jobs/handler.ts'
import { type Home, noTasks } from './backend.ts'
import { hostHome } from './host-backend.ts'
import {
  readMaxAttempts,
  readOptions,
  readRate,
  readTimeoutMs,
  readWorkerCount,
  type Settings,
  toInput,
} from './options.ts'
import { Session } from './session.ts'
import { type Task, TaskTypes } from './task-types.ts'
import type {
  HostTqOptions,
  QueueStats,
  StopOptions,
  TaskHandler,
  TaskTypeContext,
  TQ,
  Tq,
  UrlTqOptions,
} from './tq-interface.ts'
import { urlHome } from './url-backend.ts'

const GRACE_MS = 30 * SECOND

/** Another one beside the global one: for a second queue, and for tests. */
export function createTq(options: HostTqOptions): Tq<QueueStats>
export function createTq(options: UrlTqOptions): Tq<Promise<QueueStats>>
export function createTq(options: HostTqOptions | UrlTqOptions): Tq {
  const one = newTq()
  return 'db' in options ? one.init(options) : one.init(options)
}

/** One that has yet to begin. */
export function newTq(): TQ {
  const types = new TaskTypes()
  let session: Session | null = null
  let stats: (() => QueueStats | Promise<QueueStats>) | null = null
  let isHeld = false

  function running(): Session {
    if (!session) throw notBegun()
    return session
  }

  function say(type: string, change: (task: Task) => void): void {
    const task = types.get(type)
    change(task)
    task.isDeclared = false
    session?.changed()
  }

  function taskType<Payload, Result>(type: string): TaskTypeContext<Payload, Result> {
    parseInput(typeName, type, 'type')
    const set = (settings: Task['settings']) =>
      say(type, (task) => {
        task.settings = { ...task.settings, ...settings }
      })
    let last: EnqueueResult | Promise<EnqueueResult> | null = null
    return {
      add(payload, options = {}) {
        last = running().add(toInput(type, payload, options))
        return this
      },
      async added() {
        if (last === null) throw new QueueError('WRONG_STATE', `Nothing was added to ${type} here; call add first.`)
        return last
      },
      setWorker(handler) {
        if (typeof handler !== 'function') throw new QueueError('BAD_INPUT', 'setWorker: expected a function')
        say(type, (task) => {
          task.handler = payloadFirst(handler)
        })
        return this
      },
      setWorkerCount(count) {
        const workerCount = readWorkerCount(count)
        say(type, (task) => {
          task.workerCount = workerCount
        })
        return this
      },
      setRateLimit(perSecond) {
        set({ rate: readRate(perSecond) })
        return this
      },
      setTimeout(seconds) {
        set({ timeoutMs: readTimeoutMs(seconds) })
        return this
      },
      setMaxAttempts(count) {
        set({ maxAttempts: readMaxAttempts(count) })
        return this
      },
    }
  }

  function hold(held: boolean): void {
    isHeld = held
    session?.hold(held)
  }

  /** The same queue with another type of answer. */
  function face<Answer>(answer: () => Answer): Tq<Answer> {
    return Object.assign(<Payload, Result>(type: string) => taskType<Payload, Result>(type), {
      pause: () => hold(true),
      resume: () => hold(false),
      stats: answer,
      flush: async () => running().flush(),
      queue: async () => running().queue,
      stop: async (options: StopOptions = {}) => {
        refuseUnknownKeys(options, ['graceMs'], 'stop')
        return session?.stop(options.graceMs ?? GRACE_MS)
      },
    })
  }

  function begin<Answer extends QueueStats | Promise<QueueStats>>(home: Home<Answer>, settings: Settings): Tq<Answer> {
    types.beginAnew()
    stats = home.stats
    session = new Session(home, types, settings, isHeld)
    return face(home.stats)
  }

  function init(options: HostTqOptions): Tq<QueueStats>
  function init(options: UrlTqOptions): Tq<Promise<QueueStats>>
  function init(options: HostTqOptions | UrlTqOptions): Tq {
    if (session && !session.isStopping) throw new QueueError('WRONG_STATE', 'This tq runs already; stop it first.')
    const settings = readOptions(options)
    if ('db' in options) return begin(hostHome(options.db, settings), settings)
    if (typeof options.url !== 'string') throw new QueueError('BAD_INPUT', 'init needs { db } or { url }')
    return begin(urlHome(options.url, options.token, settings), settings)
  }

  const answer = (): QueueStats => {
    if (!stats) throw notBegun()
    const counts = stats()
    return counts instanceof Promise ? awaited(counts) : counts
  }
  return Object.assign(face(answer), { init })
}

/** A promise on which reading a count throws: the type of the global `tq` cannot tell `{ db }` from `{ url }`. */
function awaited(counts: Promise<QueueStats>): Promise<QueueStats> & QueueStats {
  const refuse = (): never => {
    throw new QueueError(
      'WRONG_STATE',
      'The counts of a queue by its address have to be fetched: use await tq.stats().',
    )
  }
  return Object.defineProperties(Object.assign(counts, { ...noTasks(), byType: {} }), {
    'to-do': { get: refuse, enumerable: false },
    'in-progress': { get: refuse, enumerable: false },
    success: { get: refuse, enumerable: false },
    failed: { get: refuse, enumerable: false },
    byType: { get: refuse, enumerable: false },
  })
}

function notBegun(): QueueError {
  return new QueueError('WRONG_STATE', 'This tq has not begun: call tq.init({ db }) or tq.init({ url }) first.')
}

/** What the type parameter says of payloads is the caller's word: there is nothing here to check it by. */
function payloadFirst<Payload, Result>(handler: TaskHandler<Payload, Result>): Handler {
  return (job) => {
    const payload = job.payload as Payload
    return handler(payload, { ...job, payload })
  }
}

/** The one of this process. It opens nothing before `init`. */
export const tq: TQ = newTq()

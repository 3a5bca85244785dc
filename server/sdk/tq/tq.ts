/** `tq`: jobs in one line of code, with automatically started workers. */
import { typeName } from '../../../shared/contracts/fields.ts'
import { QueueError } from '../../../shared/errors.ts'
import type { EnqueueResult } from '../../../shared/job.ts'
import { refuseUnknownKeys } from '../../../shared/json/unknown-keys.ts'
import { SECOND } from '../../../shared/limits.ts'
import { parseInput } from '../../../shared/verbs/parse-input.ts'
import type { Handler } from '../../worker/jobs/handler.ts'
import { withPayload } from '../../worker/jobs/job-context.ts'
import { computedKey } from '../jobs/group-key.ts'
import { emptyTaskCounts, type TqBackend } from './backend.ts'
import { openHostBackend } from './host-backend.ts'
import {
  readGroup,
  readMaxAttempts,
  readOptions,
  readRate,
  readTimeoutMs,
  readWorkerCount,
  type Settings,
  toInput,
  toSchedule,
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
import { openUrlBackend } from './url-backend.ts'

const GRACE_MS = 30 * SECOND

/** Creates a second queue beside the global `tq`, also for tests. */
export function createTq(options: HostTqOptions): Tq<QueueStats>
export function createTq(options: UrlTqOptions): Tq<Promise<QueueStats>>
export function createTq(options: HostTqOptions | UrlTqOptions): Tq {
  const created = newTq()
  return 'db' in options ? created.init(options) : created.init(options)
}

/** A `tq` that is not initialised yet. */
export function newTq(): TQ {
  const types = new TaskTypes()
  let session: Session | null = null
  let stats: (() => QueueStats | Promise<QueueStats>) | null = null
  let isHeld = false

  function running(): Session {
    if (!session) throw notInitialised()
    return session
  }

  function update(type: string, change: (task: Task) => void): void {
    const task = types.get(type)
    change(task)
    task.isDeclared = false
    session?.changed()
  }

  function taskType<Payload, Result>(type: string): TaskTypeContext<Payload, Result> {
    parseInput(typeName, type, 'type')
    const set = (settings: Task['settings']) =>
      update(type, (task) => {
        task.settings = { ...task.settings, ...settings }
      })
    let last: EnqueueResult | Promise<EnqueueResult> | null = null
    return {
      add(payload, options = {}) {
        const keyOf = types.keyOf(type)
        const group = options.group ?? (keyOf ? computedKey(keyOf, payload, type) : undefined)
        last = running().add(toInput(type, payload, { ...options, group }))
        return this
      },
      async added() {
        if (last === null) throw new QueueError('WRONG_STATE', `Nothing was added to ${type} here; call add first.`)
        return last
      },
      schedule(name, options) {
        types.addSchedule(toSchedule(name, type, options))
        update(type, () => {})
        return this
      },
      setWorker(handler) {
        if (typeof handler !== 'function') throw new QueueError('BAD_INPUT', 'setWorker: expected a function')
        update(type, (task) => {
          task.handler = payloadFirst(handler)
        })
        return this
      },
      setWorkerCount(count) {
        const workerCount = readWorkerCount(count)
        update(type, (task) => {
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
      setGroup(group) {
        set({ group: readGroup(group) })
        types.get(type).keyOf = typeof group.key === 'function' ? group.key : null
        return this
      },
    }
  }

  function hold(held: boolean): void {
    isHeld = held
    session?.hold(held)
  }

  /** The public object, with the given type of `stats`. */
  function buildTq<Stats>(readStats: () => Stats): Tq<Stats> {
    return Object.assign(<Payload, Result>(type: string) => taskType<Payload, Result>(type), {
      pause: () => hold(true),
      resume: () => hold(false),
      stats: readStats,
      flush: async () => running().flush(),
      queue: async () => running().queue,
      stop: async (options: StopOptions = {}) => {
        refuseUnknownKeys(options, ['graceMs'], 'stop')
        return session?.stop(options.graceMs ?? GRACE_MS)
      },
    })
  }

  function start<Stats extends QueueStats | Promise<QueueStats>>(
    backend: TqBackend<Stats>,
    settings: Settings,
  ): Tq<Stats> {
    types.resetDeclarations()
    stats = backend.stats
    session = new Session({ backend, types, settings, isHeld })
    return buildTq(backend.stats)
  }

  function init(options: HostTqOptions): Tq<QueueStats>
  function init(options: UrlTqOptions): Tq<Promise<QueueStats>>
  function init(options: HostTqOptions | UrlTqOptions): Tq {
    if (session && !session.isStopping)
      throw new QueueError('WRONG_STATE', 'This tq is already running; stop it first.')
    const settings = readOptions(options)
    if ('db' in options) return start(openHostBackend(options.db, settings), settings)
    if (typeof options.url !== 'string')
      throw new QueueError('BAD_INPUT', 'init needs { db } or { url }; neither was given.')
    return start(openUrlBackend(options.url, options.token, settings), settings)
  }

  const readStats = (): QueueStats => {
    if (!stats) throw notInitialised()
    const counts = stats()
    return counts instanceof Promise ? statsPromise(counts) : counts
  }
  return Object.assign(buildTq(readStats), { init })
}

/** A promise whose count properties throw: the type of the global `tq` cannot distinguish `{ db }` from `{ url }`. */
function statsPromise(counts: Promise<QueueStats>): Promise<QueueStats> & QueueStats {
  const refuse = (): never => {
    throw new QueueError('WRONG_STATE', 'With { url } stats() returns a promise: use await tq.stats().')
  }
  return Object.defineProperties(Object.assign(counts, { ...emptyTaskCounts(), byType: {} }), {
    'to-do': { get: refuse, enumerable: false },
    'in-progress': { get: refuse, enumerable: false },
    success: { get: refuse, enumerable: false },
    failed: { get: refuse, enumerable: false },
    byType: { get: refuse, enumerable: false },
  })
}

function notInitialised(): QueueError {
  return new QueueError('WRONG_STATE', 'This tq is not initialised: call tq.init({ db }) or tq.init({ url }) first.')
}

/** The payload type is not checked: there is no schema. */
function payloadFirst<Payload, Result>(handler: TaskHandler<Payload, Result>): Handler {
  return (job) => {
    const payload = job.payload as Payload
    return handler(payload, withPayload(job, payload))
  }
}

/** The global queue of this process. It opens nothing before `init`. */
export const tq: TQ = newTq()

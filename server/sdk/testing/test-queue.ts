/** Test queue: in memory, on a clock that the test advances. Works with any test runner. */

import { type Duration, durationMs } from '../../../shared/duration.ts'
import { QueueError } from '../../../shared/errors.ts'
import { refuseUnknownKeys } from '../../../shared/json/unknown-keys.ts'
import { limits } from '../../../shared/limits.ts'
import type { Queue } from '../../../shared/queue.ts'
import type { Defaults } from '../../../shared/settings/settings.ts'
import type { StatusCounts } from '../../../shared/status.ts'
import type { Clock } from '../../base/clock.ts'
import { createDirectEngine } from '../../engine/engine.ts'
import type { DirectStore } from '../../store/direct-store.ts'
import { openSqliteStoreSync } from '../../store/sqlite/store.ts'
import type { Handler } from '../../worker/jobs/handler.ts'
import { withPayload } from '../../worker/jobs/job-context.ts'
import { checkHandlers, type Handlers } from '../checked-handlers.ts'
import { declarationsOf } from '../jobs/define-jobs.ts'
import { type JobDefinitions, type PayloadOf, typeOf } from '../jobs/definition.ts'
import type { Schedules } from '../schedules/define-schedules.ts'
import { declareFirst } from './declare-first.ts'
import { checkedEnqueue, unknownTypeError } from './defined-types.ts'
import { type DrainedJob, drain } from './drain.ts'
import { expectJob, type FoundJob } from './expectation.ts'
import { VirtualClock } from './virtual-clock.ts'

export type { DrainedJob, Duration, FoundJob }

type UntypedHandlers = Readonly<Record<string, Handler>>
/** Handlers of any payload type. */
type AnyHandlers = Readonly<Record<string, Handler<never> | undefined>>

/** Options of `createTestQueue`. */
export interface TestQueueOptions {
  /** Initial time of the clock; default: 2030-01-01 12:00 UTC. */
  readonly startsAt?: Date | number
  /** Default handlers of `drain`. */
  readonly handlers?: UntypedHandlers
  /** Defaults for attempts, backoff and other settings that a type does not set. */
  readonly defaults?: Partial<Defaults>
}

/** Options of `createTestQueue` with job definitions, which validate payloads and results. */
export interface TypedTestQueueOptions<Definitions extends JobDefinitions> extends Omit<TestQueueOptions, 'handlers'> {
  /** Definitions from `defineJobs`. */
  readonly jobs: Definitions
  /** Schedules from `defineSchedules`; default: none. */
  readonly schedules?: Schedules
  /** Default handlers of `drain`, by definition name. */
  readonly handlers?: Handlers<Definitions>
}

interface TestClock {
  /** The clock, for your own workers and clients. */
  readonly clock: Clock
  /**
   * Advances the clock and runs what falls due: schedules enqueue their jobs, delayed jobs and retries become ready, leases expire,
   * retention deletes.
   */
  advance(by: Duration): Promise<void>
}

/** A queue in memory on a clock that the test advances. */
export interface TestQueue extends Queue, TestClock {
  /** Runs due jobs one after the other until none is left. Returns the outcome of each attempt. */
  drain(handlers?: UntypedHandlers): Promise<readonly DrainedJob[]>
  /**
   * Advances the clock from one due time to the next and runs the due jobs at each, as `drain` does: a year of a daily schedule
   * runs each job at its tick. Returns the outcome of each attempt.
   */
  run(by: Duration, handlers?: UntypedHandlers): Promise<readonly DrainedJob[]>
  /**
   * Returns the newest job of the type whose payload contains `payload`. Throws an assertion error that lists the actual
   * jobs. Matchers such as `expect.any(String)` are allowed.
   */
  expectEnqueued(type: string, payload?: unknown): FoundJob
}

/** Partial objects, whole values; matchers of the test runner are allowed anywhere. */
type PartOf<Value> = Value extends readonly unknown[]
  ? Value | Matcher
  : Value extends object
    ? { readonly [Key in keyof Value]?: PartOf<Value[Key]> } | Matcher
    : Value | Matcher

/** An asymmetric matcher, such as `expect.any(String)`. */
interface Matcher {
  asymmetricMatch(actual: unknown): boolean
}

/** A test queue with job definitions. */
export interface TypedTestQueue<Definitions extends JobDefinitions> extends Queue, TestClock {
  /**
   * Runs due jobs as `createWorker` does: handlers receive parsed payloads, and a payload or result that violates its
   * schema fails the job. Returns the outcome of each attempt.
   */
  drain(handlers?: Handlers<Definitions>): Promise<readonly DrainedJob[]>
  /**
   * Advances the clock from one due time to the next and runs the due jobs at each, as `drain` does: a year of a daily schedule
   * runs each job at its tick. Returns the outcome of each attempt.
   */
  run(by: Duration, handlers?: Handlers<Definitions>): Promise<readonly DrainedJob[]>
  /** Returns the newest job of this definition whose payload contains `payload`. Throws an assertion error otherwise. */
  expectEnqueued<Name extends keyof Definitions & string>(
    name: Name,
    payload?: PartOf<PayloadOf<Definitions[Name]>>,
  ): FoundJob
}

const NOON = Date.UTC(2030, 0, 1, 12)

/** Event-loop turns that the work started by a timer needs to settle. */
const TURNS = 6

/** No jitter, so that tests are deterministic. */
const random = () => 0.5

const OPTIONS = ['startsAt', 'jobs', 'schedules', 'handlers', 'defaults']

/** Creates a queue for a test: in memory, without background tasks, on a clock that only the test advances. */
export function createTestQueue<const Definitions extends JobDefinitions>(
  options: TypedTestQueueOptions<Definitions>,
): TypedTestQueue<Definitions>
export function createTestQueue(options?: TestQueueOptions): TestQueue
export function createTestQueue(
  options: Omit<TestQueueOptions, 'handlers'> & {
    readonly jobs?: JobDefinitions
    readonly schedules?: Schedules
    readonly handlers?: AnyHandlers
  } = {},
): TestQueue {
  refuseUnknownKeys(options, OPTIONS, 'createTestQueue')
  const { startsAt = NOON, handlers, defaults = {}, jobs, schedules } = options
  const clock = new VirtualClock(Number(startsAt), settle)
  const store = openSqliteStoreSync({ file: ':memory:', clock, defaults })
  if (jobs) declareGroups(store, jobs)
  // Without services: firing their timers for a simulated day would take a minute.
  const { engine, direct } = createDirectEngine({ store, clock, random })

  function jobsOf(type: string): FoundJob[] {
    const jobs: FoundJob[] = []
    let cursor: string | undefined
    do {
      const page = direct.list({ type, sort: 'newest', limit: limits.list, payloads: true, cursor })
      jobs.push(...page.jobs)
      cursor = page.nextCursor ?? undefined
    } while (cursor !== undefined)
    return jobs
  }

  /** `given` is by definition name if there are definitions, else by type. */
  function handlersByType(given: AnyHandlers): UntypedHandlers {
    if (!jobs)
      return Object.fromEntries(
        Object.entries(given).flatMap(([type, handler]) => (handler ? [[type, unchecked(handler)]] : [])),
      )
    return Object.fromEntries(checkHandlers(jobs, given).map(({ type, handler }) => [type, handler]))
  }

  function typeOfName(name: string): string {
    if (!jobs) return name
    if (!Object.hasOwn(jobs, name)) throw unknownTypeError(name, Object.keys(jobs))
    return typeOf(name, jobs[name])
  }

  // The parsed verbs are behind all entries: the queue itself, and a dashboard that is mounted on it.
  if (jobs) Object.assign(engine.parsed, checkedEnqueue(engine.parsed, jobs))
  const declared = declareFirst(engine, schedules)

  /** `atEach` runs at each due time on the way, and at the end. It may make more fall due. */
  async function advance(by: Duration, atEach?: () => Promise<void>): Promise<void> {
    await declared
    const target = clock.now() + durationMs(by)
    const step = async () => {
      const dueAt = direct.upkeep()
      if (!atEach) return dueAt
      await atEach()
      return direct.upkeep()
    }
    for (let dueAt = await step(); dueAt !== null && dueAt <= target; dueAt = await step()) {
      await clock.advance(Math.max(0, dueAt - clock.now()))
    }
    await clock.advance(target - clock.now())
    direct.upkeep()
    await settle()
    await atEach?.()
  }

  async function drainDue(given: AnyHandlers | undefined): Promise<readonly DrainedJob[]> {
    if (given === undefined) throw new TypeError('drain needs handlers; pass them to drain or to createTestQueue.')
    await declared
    const known = handlersByType(given)
    if (!jobs && given !== handlers) refuseMisspelt(known, direct.counts())
    return drain(engine, clock, known)
  }

  return Object.assign(engine, {
    clock,
    advance: (by: Duration) => advance(by),
    drain: (given: AnyHandlers | undefined = handlers) => drainDue(given),
    async run(by: Duration, given: AnyHandlers | undefined = handlers) {
      const drained: DrainedJob[] = []
      await advance(by, async () => {
        drained.push(...(await drainDue(given)))
      })
      return drained
    },
    expectEnqueued: (name: string, payload?: unknown) => {
      const type = typeOfName(name)
      return expectJob(jobsOf(type), { type, payload }, [...direct.counts().keys()])
    },
  })
}

/** Limits per key hold from the first job on, as they do once a worker has declared them. */
function declareGroups(store: DirectStore, jobs: JobDefinitions): void {
  const types = declarationsOf(jobs).flatMap(({ name, settings }) => {
    return settings?.group ? [{ name, kind: 'job' as const, declared: { group: settings.group } }] : []
  })
  if (types.length > 0) store.commitNow([{ kind: 'declareTypes', types, actor: 'test' }])
}

/** Without definitions the payload type is that of the handler. */
function unchecked(handler: Handler<never>): Handler {
  return (job) => handler(withPayload(job, job.payload as never))
}

/** Rejects a handler without jobs when there are also jobs without a handler: its name is probably misspelt. */
function refuseMisspelt(handlers: UntypedHandlers, counts: ReadonlyMap<string, StatusCounts>): void {
  const withoutJobs = Object.keys(handlers).filter((type) => !counts.has(type))
  const withoutHandler = [...counts].filter(([type, { pending }]) => pending > 0 && !Object.hasOwn(handlers, type))
  if (withoutJobs.length === 0 || withoutHandler.length === 0) return
  const types = withoutHandler.map(([type]) => type).join(', ')
  throw new QueueError(
    'BAD_INPUT',
    `There is a handler for ${withoutJobs.join(', ')}, which has no jobs, and none for ${types}, which has waiting jobs; check the spelling.`,
  )
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn++) await new Promise<void>((resolve) => setImmediate(resolve))
}

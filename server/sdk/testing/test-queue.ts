/** A queue for tests: in memory, on a clock that the test moves. It needs no test runner and works with any. */

import { QueueError } from '../../../shared/errors.ts'
import { limits } from '../../../shared/limits.ts'
import type { Defaults } from '../../../shared/settings.ts'
import type { StatusCounts } from '../../../shared/status.ts'
import { refuseUnknownKeys } from '../../../shared/unknown-keys.ts'
import type { Clock } from '../../base/clock.ts'
import { createDirectEngine } from '../../engine/engine.ts'
import type { Queue } from '../../queue/queue.ts'
import { openSqliteStoreNow } from '../../store/sqlite/store.ts'
import type { Handler } from '../../worker/jobs/handler.ts'
import { checkHandlers, type Handlers } from '../checked-handlers.ts'
import { type JobDefinitions, type PayloadOf, typeOf } from '../jobs/definition.ts'
import { checkedEnqueue, undefinedType } from './defined-types.ts'
import { type DrainedJob, drain } from './drain.ts'
import { type Duration, durationMs } from './duration.ts'
import { expectJob, type FoundJob } from './expectation.ts'
import { VirtualClock } from './virtual-clock.ts'

export type { DrainedJob, Duration, FoundJob }

type UntypedHandlers = Readonly<Record<string, Handler>>
/** Of whatever payloads the overloads allow. */
type AnyHandlers = Readonly<Record<string, Handler<never> | undefined>>

/** How to make a queue for a test. */
export interface TestQueueOptions {
  /** What the clock shows at first; default: noon of the first day of 2030, UTC. */
  readonly startsAt?: Date | number
  /** The handlers that `drain` runs when it is given none. */
  readonly handlers?: UntypedHandlers
  /** Attempts, backoff and the like where a type does not say. */
  readonly defaults?: Partial<Defaults>
}

/** How to make a queue for a test whose payloads, handlers and results are checked by definitions. */
export interface TypedTestQueueOptions<Definitions extends JobDefinitions> extends Omit<TestQueueOptions, 'handlers'> {
  /** Of `defineJobs`. */
  readonly jobs: Definitions
  /** The handlers that `drain` runs when it is given none, by the names of the definitions. */
  readonly handlers?: Handlers<Definitions>
}

interface TestClock {
  /** For a worker or client of your own on the same time. */
  readonly clock: Clock
  /** Moves time, and does on the way what falls due: delayed jobs and retries get ready, leases end, retention removes. */
  advance(by: Duration): Promise<void>
}

/** A queue in memory on a clock that the test moves. */
export interface TestQueue extends Queue, TestClock {
  /** Runs what is due, one job after the other, until nothing is left that can run; gives what became of each. */
  drain(handlers?: UntypedHandlers): Promise<readonly DrainedJob[]>
  /**
   * The newest job of the type whose payload has what `payload` names; throws an assertion error that says what there is
   * instead. Matchers like `expect.any(String)` may stand for a part of it.
   */
  expectEnqueued(type: string, payload?: unknown): FoundJob
}

/** Of objects any part, of everything else the whole; matchers of the test runner may stand anywhere. */
type PartOf<Value> = Value extends readonly unknown[]
  ? Value | Matcher
  : Value extends object
    ? { readonly [Key in keyof Value]?: PartOf<Value[Key]> } | Matcher
    : Value | Matcher

/** `expect.any(String)` and the like. */
interface Matcher {
  asymmetricMatch(actual: unknown): boolean
}

/** A queue for a test that knows the definitions of its jobs. */
export interface TypedTestQueue<Definitions extends JobDefinitions> extends Queue, TestClock {
  /**
   * Runs what is due, as createWorker does: handlers get parsed payloads, and a payload or result that does not fit its
   * definition fails the job. Gives what became of each.
   */
  drain(handlers?: Handlers<Definitions>): Promise<readonly DrainedJob[]>
  /** The newest job of this definition whose payload has what `payload` names; throws an assertion error otherwise. */
  expectEnqueued<Name extends keyof Definitions & string>(
    name: Name,
    payload?: PartOf<PayloadOf<Definitions[Name]>>,
  ): FoundJob
}

const NOON = Date.UTC(2030, 0, 1, 12)

/** Enough turns of the event loop for whatever a timer has started here. */
const TURNS = 6

/** No jitter: what a test sees it sees every time. */
const random = () => 0.5

const OPTIONS = ['startsAt', 'jobs', 'handlers', 'defaults']

/** Makes a queue for a test: in memory, without background work, on a clock that only the test moves. */
export function createTestQueue<const Definitions extends JobDefinitions>(
  options: TypedTestQueueOptions<Definitions>,
): TypedTestQueue<Definitions>
export function createTestQueue(options?: TestQueueOptions): TestQueue
export function createTestQueue(
  options: Omit<TestQueueOptions, 'handlers'> & {
    readonly jobs?: JobDefinitions
    readonly handlers?: AnyHandlers
  } = {},
): TestQueue {
  refuseUnknownKeys(options, OPTIONS, 'createTestQueue')
  const { startsAt = NOON, handlers, defaults = {}, jobs } = options
  const clock = new VirtualClock(Number(startsAt), settle)
  const store = openSqliteStoreNow({ file: ':memory:', clock, defaults })
  // Without services: their timers would make a day of the clock a minute of the test.
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

  /** By the names of the definitions where there are some, else by type. */
  function byType(given: AnyHandlers): UntypedHandlers {
    if (!jobs)
      return Object.fromEntries(Object.entries(given).flatMap(([type, one]) => (one ? [[type, unchecked(one)]] : [])))
    return Object.fromEntries(checkHandlers(jobs, given).map(({ type, handler }) => [type, handler]))
  }

  function typeNamed(name: string): string {
    if (!jobs) return name
    if (!Object.hasOwn(jobs, name)) throw undefinedType(name, Object.keys(jobs))
    return typeOf(name, jobs[name])
  }

  return Object.assign(engine, jobs ? checkedEnqueue(engine, jobs) : {}, {
    clock,
    async advance(by: Duration) {
      const target = clock.now() + durationMs(by)
      for (let dueAt = direct.upkeep(); dueAt !== null && dueAt <= target; dueAt = direct.upkeep()) {
        await clock.advance(Math.max(0, dueAt - clock.now()))
      }
      await clock.advance(target - clock.now())
      direct.upkeep()
      await settle()
    },
    async drain(given: AnyHandlers | undefined = handlers) {
      if (given === undefined) throw new TypeError('drain needs handlers: give it some, or createTestQueue.')
      const known = byType(given)
      if (!jobs && given !== handlers) refuseMisspelt(known, direct.counts())
      return drain(engine, clock, known)
    },
    expectEnqueued: (name: string, payload?: unknown) => {
      const type = typeNamed(name)
      return expectJob(jobsOf(type), { type, payload }, [...direct.counts().keys()])
    },
  })
}

/** Without definitions the payload is what the handler says it is. */
function unchecked(handler: Handler<never>): Handler {
  return (job) => handler({ ...job, payload: job.payload as never })
}

/** A handler of a type that was never enqueued, beside jobs that no handler takes: one is probably meant for the other. */
function refuseMisspelt(handlers: UntypedHandlers, counts: ReadonlyMap<string, StatusCounts>): void {
  const unseen = Object.keys(handlers).filter((type) => !counts.has(type))
  const untaken = [...counts].filter(([type, { pending }]) => pending > 0 && !Object.hasOwn(handlers, type))
  if (unseen.length === 0 || untaken.length === 0) return
  const types = untaken.map(([type]) => type).join(', ')
  throw new QueueError(
    'BAD_INPUT',
    `There is a handler for ${unseen.join(', ')}, of which no job was ever enqueued, and none for ${types}, of which jobs wait; is it misspelt?`,
  )
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn++) await new Promise<void>((resolve) => setImmediate(resolve))
}

/** A queue for tests: in memory, on a clock that the test moves. It needs no test runner and works with any. */

import { limits } from '../../shared/limits.ts'
import type { Defaults } from '../../shared/type-settings.ts'
import type { Clock } from '../clock.ts'
import { createDirectEngine } from '../engine/engine.ts'
import type { Queue } from '../queue/queue.ts'
import { openSqliteStoreNow } from '../store/sqlite/sqlite-store.ts'
import type { Handler } from '../worker/handler.ts'
import { type DrainedJob, drain } from './drain.ts'
import { type Duration, durationMs } from './duration.ts'
import { expectJob, type FoundJob } from './expectation.ts'
import { VirtualClock } from './virtual-clock.ts'

export type { DrainedJob, Duration, FoundJob }

type Handlers = Readonly<Record<string, Handler>>

/** How to make a queue for a test. */
export interface TestQueueOptions {
  /** What the clock shows at first; default: noon of the first day of 2030, UTC. */
  readonly startsAt?: Date | number
  /** What `drain` runs unless it is told otherwise. */
  readonly handlers?: Handlers
  /** Attempts, backoff and the like where a type does not say. */
  readonly defaults?: Partial<Defaults>
}

/** A queue in memory on a clock that the test moves. */
export interface TestQueue extends Queue {
  /** For a worker or client of your own on the same time. */
  readonly clock: Clock
  /** Moves time, and does on the way what falls due: delayed jobs and retries get ready, leases end, retention removes. */
  advance(by: Duration): Promise<void>
  /** Runs what is due, one job after the other, until nothing is left that can run; gives what became of each. */
  drain(handlers?: Handlers): Promise<readonly DrainedJob[]>
  /**
   * The newest job of the type whose payload has what `payload` names; throws an assertion error that says what there is
   * instead. Matchers like `expect.any(String)` may stand for a part of it.
   */
  expectEnqueued(type: string, payload?: unknown): FoundJob
}

const NOON = Date.UTC(2030, 0, 1, 12)

/** Enough turns of the event loop for whatever a timer has started here. */
const TURNS = 6

/** No jitter: what a test sees it sees every time. */
const random = () => 0.5

/** Makes a queue for a test: in memory, without background work, on a clock that only the test moves. */
export function createTestQueue({ startsAt = NOON, handlers, defaults = {} }: TestQueueOptions = {}): TestQueue {
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

  return Object.assign(engine, {
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
    async drain(given: Handlers | undefined = handlers) {
      if (given === undefined) throw new TypeError('drain needs handlers: give it some, or createTestQueue.')
      return drain(engine, clock, given)
    },
    expectEnqueued: (type: string, payload?: unknown) =>
      expectJob(jobsOf(type), { type, payload }, [...direct.counts().keys()]),
  })
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn++) await new Promise<void>((resolve) => setImmediate(resolve))
}

/** Workers under test on the clock of their engine, with their recorded events. */

import { formatWorkerEvent, type WorkerEvent } from '../../server/worker/events.ts'
import type { Handler } from '../../server/worker/jobs/handler.ts'
import { startWorker, type WorkerOptions } from '../../server/worker/start-worker.ts'
import type { Worker } from '../../server/worker/worker.ts'
import type { Queue } from '../../shared/queue.ts'
import type { TestClock } from './test-clock.ts'

export interface TestWorker {
  readonly worker: Worker
  readonly events: readonly WorkerEvent[]
  /** Its events as a log shows them, without ids. */
  readonly lines: () => readonly string[]
}

/** Runs `body` with a worker, which is stopped at the end. */
export async function withWorker(
  { queue, clock }: { readonly queue: Queue; readonly clock: TestClock },
  handlers: Readonly<Record<string, Handler>>,
  options: WorkerOptions,
  body: (one: TestWorker) => Promise<void>,
): Promise<void> {
  const events: WorkerEvent[] = []
  const worker = startWorker(queue, handlers, { name: 'w', clock, random: () => 0.5, ...options })
  worker.events.onAny((event) => events.push(event))
  const lines = () => events.map((event) => formatWorkerEvent(event).replaceAll(/ [0-9a-f-]{36}/g, ''))
  try {
    await body({ worker, events, lines })
  } finally {
    const stopping = worker.stop({ graceMs: 0 })
    await clock.advance(0)
    await stopping
  }
}

/** A handler that waits for the test. */
export function gated<Value>(value: Value) {
  const waiting: { resolve: (value: Value) => void; reject: (error: unknown) => void }[] = []
  let most = 0
  const handler = () =>
    new Promise<Value>((resolve, reject) => {
      waiting.push({ resolve, reject })
      most = Math.max(most, waiting.length)
    })
  return {
    handler,
    /** Completes the run that has waited longest. */
    open: () => waiting.shift()?.resolve(value),
    fail: (error: unknown) => waiting.shift()?.reject(error),
    get waiting() {
      return waiting.length
    },
    get most() {
      return most
    },
  }
}

/** Shell worker: claims jobs of kind `command` and runs their programs. */
import type { Queue } from '../../shared/queue.ts'
import { type Clock, systemClock } from '../base/clock.ts'
import type { Environment } from '../base/config/config.ts'
import { Measured } from '../worker/jobs/handler-errors.ts'
import { startWorker } from '../worker/start-worker.ts'
import type { Worker } from '../worker/worker.ts'
import { CommandTypes } from './command-types.ts'
import { runCommand } from './run-command.ts'

export interface ShellWorkerOptions {
  readonly name: string
  /** Only these types; null: all types of kind `command`, present and future. */
  readonly types: readonly string[] | null
  readonly concurrency: number
  readonly leaseMs: number
  readonly env: Environment
  readonly clock?: Clock
}

/** A drain is noticed within this time. */
const HEARTBEAT_MS = 1_000
/** Time between SIGTERM and SIGKILL; shorter than the first backoff of a command. */
const KILL_GRACE_MS = 1_500

export interface ShellWorker {
  readonly worker: Worker
  /** Stops the worker and waits until all commands have ended. */
  stop(options: { readonly graceMs: number }): Promise<void>
}

export function startShellWorker(queue: Queue, options: ShellWorkerOptions): ShellWorker {
  const { name, concurrency, leaseMs, env, clock = systemClock } = options
  const running = new Set<Promise<unknown>>()
  const types = new CommandTypes({
    queue,
    only: options.types,
    clock,
    run(job) {
      const run = runCommand(job, { clock, env, killGraceMs: KILL_GRACE_MS })
      running.add(run)
      return run.then((result) => new Measured(result, result.durationMs)).finally(() => running.delete(run))
    },
    onChange: () => worker.handlersChanged(),
    onError: (error) => worker.events.emit({ kind: 'error', error }),
  })
  const worker = startWorker(queue, types.handlers, { name, concurrency, leaseMs, beatMs: HEARTBEAT_MS, clock })
  worker.events.on('stopped', () => types.stop())
  void types.start()
  return {
    worker,
    async stop({ graceMs }) {
      await worker.stop({ graceMs })
      await Promise.allSettled(running)
    },
  }
}

/** A worker whose handler is the shell: takes jobs of kind `command` and runs what they say. */
import { type Clock, systemClock } from '../base/clock.ts'
import type { Environment } from '../base/config/config.ts'
import type { Queue } from '../queue/queue.ts'
import { Measured } from '../worker/jobs/handler-errors.ts'
import { startWorker } from '../worker/start-worker.ts'
import type { Worker } from '../worker/worker.ts'
import { CommandTypes } from './command-types.ts'
import { runCommand } from './run-command.ts'

export interface ShellWorkerOptions {
  readonly name: string
  /** Only these; null: all that hold commands, now and later. */
  readonly types: readonly string[] | null
  readonly concurrency: number
  readonly leaseMs: number
  readonly env: Environment
  readonly clock?: Clock
}

/** How soon a cancel or a drain is heard of. */
const BEAT_MS = 1_000
/** Between asking a command to end and killing it; shorter than the first backoff of a command. */
const KILL_GRACE_MS = 1_500

export interface ShellWorker {
  readonly worker: Worker
  /** As a worker's; besides, no command is left behind. */
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
    onError: (error) => worker.events.tell({ kind: 'trouble', error }),
  })
  const worker = startWorker(queue, types.handlers, { name, concurrency, leaseMs, beatMs: BEAT_MS, clock })
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

/** Runs one attempt of a command in this process and records its output. */
import { onTestFinished } from 'vitest'
import { systemClock } from '../../../server/base/clock.ts'
import { newId } from '../../../server/base/ids.ts'
import { type CommandResult, runCommand } from '../../../server/shell/run-command.ts'
import { Stopped, type StopReason } from '../../../server/worker/jobs/handler.ts'
import type { LogStream } from '../../../shared/job.ts'

export interface Line {
  readonly stream: LogStream
  readonly line: string
}

export interface Attempt {
  readonly id: string
  readonly ended: Promise<CommandResult>
  readonly lines: readonly Line[]
  /** The standard output. */
  readonly written: () => readonly string[]
  stop(why: StopReason): void
  /** Resolves with the first matching line. */
  wrote(pattern: RegExp): Promise<string>
}

export interface AttemptOptions {
  readonly killGraceMs?: number
  readonly version?: number
  readonly id?: string
}

/** The command ends with the test, also when the test fails. */
export function attempt(payload: unknown, options: AttemptOptions = {}): Attempt {
  const { killGraceMs = 30_000, version = 3, id = newId() } = options
  const stopper = new AbortController()
  const lines: Line[] = []
  const waiting = new Set<() => void>()
  const log = (line: string, stream: LogStream = 'log') => {
    lines.push({ line, stream })
    for (const look of waiting) look()
  }
  const job = {
    ...{ id, type: 'shell', payload, version, attempt: 2, maxAttempts: 4, createdAt: 0 },
    traceparent: null,
    tick: null,
    signal: stopper.signal,
    progress: () => {},
    log,
  }
  const ended = runCommand(job, {
    clock: systemClock,
    env: { PATH: process.env.PATH, OUTER: 'from outside' },
    killGraceMs,
  })
  const stop = (why: StopReason) => stopper.abort(new Stopped(why, `stopped: ${why}`))
  onTestFinished(async () => {
    stop('shutdown')
    await ended.catch(() => {})
  })
  return {
    id,
    ended,
    lines,
    stop,
    written: () => lines.filter(({ stream }) => stream === 'stdout').map(({ line }) => line),
    wrote: (pattern) =>
      new Promise((resolve) => {
        const look = () => {
          const found = lines.find(({ line }) => pattern.test(line))
          if (found) resolve(found.line)
        }
        waiting.add(look)
        look()
      }),
  }
}

/** The error of a failed command. */
export async function failure(command: Attempt): Promise<unknown> {
  return command.ended.then(
    (result) => Promise.reject(new Error(`it did not fail: ${JSON.stringify(result)}`)),
    (error: unknown) => error,
  )
}

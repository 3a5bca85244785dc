/** Handler of jobs of kind `command`: runs one program per attempt and logs its output. */
import { constants } from 'node:os'
import type { Readable } from 'node:stream'
import type { Clock } from '../base/clock.ts'
import type { Environment } from '../base/config/config.ts'
import { type JobContext, Stopped } from '../worker/jobs/handler.ts'
import { BadExit, Cancel } from '../worker/jobs/handler-errors.ts'
import { readCommand } from './command.ts'
import type { Exit } from './launch.ts'
import { LineReader, Tail } from './output.ts'
import { ProcessTree } from './process-tree.ts'

export interface CommandResult {
  readonly exitCode: 0
  readonly durationMs: number
  /** The end of the standard output. */
  readonly stdout: string
}

export interface RunCommandOptions {
  readonly clock: Clock
  /** Environment of all commands; `env` of a payload overrides it. */
  readonly env: Environment
  /** Time between SIGTERM and SIGKILL. */
  readonly killGraceMs: number
}

const STDOUT_LENGTH = 8_192
/** A job's error keeps 1,000 characters. The rest is for the prefix, and the end of stderr matters most. */
const STDERR_LENGTH = 900

export async function runCommand(job: JobContext, options: RunCommandOptions): Promise<CommandResult> {
  const { clock, killGraceMs } = options
  const command = readCommand(job.payload)
  const mark = `${job.id}:${job.version}`
  const env = { ...options.env, ...command.env, ...jobVariables(job) }
  const startedAt = clock.monotonic()
  const tree = await ProcessTree.start({ command, env, mark, clock })
  const out = new Tail(STDOUT_LENGTH)
  const err = new Tail(STDERR_LENGTH)
  const flushOut = readLines(tree.stdout, (line) => {
    out.add(line)
    job.log(line, 'stdout')
  })
  const flushErr = readLines(tree.stderr, (line) => {
    err.add(line)
    job.log(line, 'stderr')
  })

  const stop = onAbort(job.signal, ({ reason }) =>
    // Another worker may already run the job, so there is no grace.
    reason === 'lost' || reason === 'disconnected' || reason === 'shutdown' ? tree.kill() : tree.terminate(killGraceMs),
  )
  const exit = await tree.exited
  const durationMs = Math.round(clock.monotonic() - startedAt)
  const stopped = stop.remove()
  if (stopped) await stopped.done
  // Background processes of the command end with it.
  await tree.kill()
  flushOut()
  flushErr()
  // The lease may still be valid: the job is released, not cancelled.
  if (stopped?.reason.reason === 'disconnected') throw stopped.reason
  if (stopped) throw new Cancel(stopped.reason.message)
  if (exit.code === 0) return { exitCode: 0, durationMs, stdout: `${out}` }
  throw badExit(exit, `${err}`, durationMs)
}

/** Environment variables that identify the job; the version is the fencing token. */
function jobVariables({ id, type, version, attempt, tick }: JobContext): Environment {
  return {
    MILLRACE_JOB_ID: id,
    MILLRACE_JOB_TYPE: type,
    MILLRACE_JOB_VERSION: `${version}`,
    MILLRACE_JOB_ATTEMPT: `${attempt}`,
    ...(tick && { MILLRACE_SCHEDULE: tick.schedule, MILLRACE_TICK_AT: `${tick.at}` }),
  }
}

function readLines(stream: Readable | null, onLine: (line: string) => void): () => void {
  const reader = new LineReader(onLine)
  stream?.on('data', (bytes: Uint8Array) => reader.write(bytes))
  // The stream was destroyed after a kill.
  stream?.on('error', () => {})
  return () => reader.end()
}

interface Stop {
  readonly reason: Stopped
  readonly done: Promise<void>
}

/** Calls `react` on abort, also if the signal is already aborted. `remove` returns the abort, or null. */
function onAbort(signal: AbortSignal, react: (reason: Stopped) => Promise<void>): { remove(): Stop | null } {
  let stop: Stop | null = null
  const aborted = () => {
    const reason =
      signal.reason instanceof Stopped ? signal.reason : new Stopped('shutdown', 'The command was stopped.')
    stop = { reason, done: react(reason) }
  }
  if (signal.aborted) aborted()
  else signal.addEventListener('abort', aborted, { once: true })
  return {
    remove() {
      signal.removeEventListener('abort', aborted)
      return stop
    },
  }
}

function badExit({ code, signal }: Exit, stderr: string, durationMs: number): BadExit {
  const how = signal ? `Killed by ${signal}` : `Exit code ${code}`
  const exitCode = signal ? -(constants.signals[signal] ?? 0) : (code ?? -1)
  const reason = stderr.trim() === '' ? `${how}, no output on stderr` : `${how}: ${stderr}`
  return new BadExit(exitCode, reason, durationMs)
}

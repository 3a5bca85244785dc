/** The handler of jobs of kind `command`: runs one program per attempt, passes on what it writes, and says how it ended. */
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
  /** The end of what it wrote. */
  readonly stdout: string
}

export interface CommandParts {
  readonly clock: Clock
  /** What every command finds in its environment, before its own. */
  readonly env: Environment
  /** Between asking a command to end and killing it. */
  readonly killGraceMs: number
}

const STDOUT_LENGTH = 8_192
/** Leaves room for the words before it: of a job's error 1,000 characters are kept, and the last ones matter most. */
const STDERR_LENGTH = 900

export async function runCommand(job: JobContext, parts: CommandParts): Promise<CommandResult> {
  const { clock, killGraceMs } = parts
  const command = readCommand(job.payload)
  const mark = `${job.id}:${job.version}`
  const env = { ...parts.env, ...command.env, ...aboutJob(job) }
  const startedAt = clock.monotonic()
  const tree = await ProcessTree.start({ command, env, mark, clock })
  const out = new Tail(STDOUT_LENGTH)
  const err = new Tail(STDERR_LENGTH)
  const flushOut = follow(tree.stdout, (line) => {
    out.add(line)
    job.log(line, 'stdout')
  })
  const flushErr = follow(tree.stderr, (line) => {
    err.add(line)
    job.log(line, 'stderr')
  })

  const stop = onAbort(job.signal, ({ why }) =>
    // Somebody else may have the job by now, or will at once: no time to ask.
    why === 'lost' || why === 'disconnected' || why === 'shutdown' ? tree.kill() : tree.terminate(killGraceMs),
  )
  const exit = await tree.exited
  const durationMs = Math.round(clock.monotonic() - startedAt)
  const stopped = stop.forget()
  if (stopped) await stopped.done
  // What it left in the background ends with it.
  await tree.kill()
  flushOut()
  flushErr()
  // The queue may still count on this attempt: it is given back, not cancelled.
  if (stopped?.reason.why === 'disconnected') throw stopped.reason
  if (stopped) throw new Cancel(stopped.reason.message)
  if (exit.code === 0) return { exitCode: 0, durationMs, stdout: `${out}` }
  throw badExit(exit, `${err}`, durationMs)
}

/** For commands that want to fence their side effects, or say who they are. */
function aboutJob({ id, type, version, attempt }: JobContext): Environment {
  return {
    MILLRACE_JOB_ID: id,
    MILLRACE_JOB_TYPE: type,
    MILLRACE_JOB_VERSION: `${version}`,
    MILLRACE_JOB_ATTEMPT: `${attempt}`,
  }
}

function follow(stream: Readable | null, onLine: (line: string) => void): () => void {
  const reader = new LineReader(onLine)
  stream?.on('data', (bytes: Uint8Array) => reader.write(bytes))
  // A line that was cut off has nothing more to say.
  stream?.on('error', () => {})
  return () => reader.end()
}

interface Stop {
  readonly reason: Stopped
  readonly done: Promise<void>
}

/** Reacts to the first abort, also to one that came before; `forget` gives it, if there was one. */
function onAbort(signal: AbortSignal, react: (reason: Stopped) => Promise<void>): { forget(): Stop | null } {
  let stop: Stop | null = null
  const aborted = () => {
    const reason =
      signal.reason instanceof Stopped ? signal.reason : new Stopped('shutdown', 'The command was stopped.')
    stop = { reason, done: react(reason) }
  }
  if (signal.aborted) aborted()
  else signal.addEventListener('abort', aborted, { once: true })
  return {
    forget() {
      signal.removeEventListener('abort', aborted)
      return stop
    },
  }
}

function badExit({ code, signal }: Exit, stderr: string, durationMs: number): BadExit {
  const how = signal ? `Killed by ${signal}` : `Exit code ${code}`
  const exitCode = signal ? -(constants.signals[signal] ?? 0) : (code ?? -1)
  const reason = stderr.trim() === '' ? `${how}, nothing on stderr` : `${how}: ${stderr}`
  return new BadExit(exitCode, reason, durationMs)
}

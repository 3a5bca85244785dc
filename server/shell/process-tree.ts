/** A program and all its descendants: stopped together, never outliving this process. */
import { stat } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import type { Clock } from '../base/clock.ts'
import type { Environment } from '../base/config/config.ts'
import type { ShellCommand } from './command.ts'
import type { Exit, Launched } from './launch.ts'
import { startPosixProcess } from './posix-process.ts'
import { startWindowsProcess } from './windows-process.ts'

/** A running program, with the operations of its platform. */
export interface Started extends Launched {
  /** Sends SIGTERM to all processes. */
  requestExit(): void
  /** Whether any process is left. */
  isAlive(): boolean
  /** Kills all processes. */
  kill(): Promise<void>
}

export interface TreeOptions {
  readonly command: ShellCommand
  readonly env: Environment
  /** Unique value in the environment of every process of this tree. */
  readonly mark: string
  readonly clock: Clock
}

const POLL_MS = 20
/** Time to read the remaining output after a kill. An escaped process could keep the pipe open forever. */
const OUTPUT_WAIT_MS = 1_000

export class ProcessTree {
  readonly stdout: Readable | null
  readonly stderr: Readable | null
  /** Resolves when the program itself has exited; its children may still run. */
  readonly exited: Promise<Exit>
  private readonly started: Started
  private readonly clock: Clock
  private killing: Promise<void> | null = null

  static async start({ command, env, mark, clock }: TreeOptions): Promise<ProcessTree> {
    const { cwd } = command
    if (cwd !== null && !(await isFolder(cwd)))
      throw new Error(`The working directory ${cwd} does not exist on this machine.`)
    const isWindows = process.platform === 'win32'
    return new ProcessTree(
      await (isWindows ? startWindowsProcess(command, env) : startPosixProcess(command, env, mark)),
      clock,
    )
  }

  private constructor(started: Started, clock: Clock) {
    this.started = started
    this.clock = clock
    this.stdout = started.child.stdout
    this.stderr = started.child.stderr
    this.exited = started.exited
  }

  /** Requests an exit of all processes and kills the rest after `graceMs`. */
  async terminate(graceMs: number): Promise<void> {
    const { clock, started } = this
    const until = clock.monotonic() + graceMs
    if (!this.killing) started.requestExit()
    while (!this.killing && started.isAlive() && clock.monotonic() < until) {
      await new Promise<void>((resolve) => clock.after(POLL_MS, resolve, true))
    }
    await this.kill()
  }

  /** Kills all remaining processes. Resolves when their output has been read. Idempotent. */
  kill(): Promise<void> {
    this.killing ??= this.end()
    return this.killing
  }

  private async end(): Promise<void> {
    const { child, closed } = this.started
    await this.started.kill()
    const closeStreams = () => {
      for (const stream of child.stdio) stream?.destroy()
    }
    const timer = this.clock.after(OUTPUT_WAIT_MS, closeStreams, true)
    await closed
    timer.cancel()
  }
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
}

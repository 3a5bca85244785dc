/** A program and everything it starts, as one: begun together, ended together, never outliving this process. */
import { stat } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import type { Clock } from '../base/clock.ts'
import type { Environment } from '../base/config/config.ts'
import type { ShellCommand } from './command.ts'
import type { Exit, Launched } from './launch.ts'
import { startKept } from './posix-process.ts'
import { startOnWindows } from './windows-process.ts'

/** A program that runs, by the means of its platform. */
export interface Started extends Launched {
  /** Asks all of it to end. */
  ask(): void
  /** Somebody of it is there. */
  isAlive(): boolean
  /** Ends all of it, now. */
  kill(): Promise<void>
}

export interface TreeOptions {
  readonly command: ShellCommand
  readonly env: Environment
  /** In the environment of every process of this tree, and of no other. */
  readonly mark: string
  readonly clock: Clock
}

const LOOK_AGAIN_MS = 20
/** What the killed have written is there at once; a process that escaped could hold the line for ever. */
const LAST_WORDS_MS = 1_000

export class ProcessTree {
  readonly stdout: Readable | null
  readonly stderr: Readable | null
  /** The program itself has ended; what it started may not have. */
  readonly exited: Promise<Exit>
  private readonly started: Started
  private readonly clock: Clock
  private killing: Promise<void> | null = null

  static async start({ command, env, mark, clock }: TreeOptions): Promise<ProcessTree> {
    const { cwd } = command
    if (cwd !== null && !(await isFolder(cwd))) throw new Error(`There is no folder ${cwd} here to run the command in.`)
    const isWindows = process.platform === 'win32'
    return new ProcessTree(await (isWindows ? startOnWindows(command, env) : startKept(command, env, mark)), clock)
  }

  private constructor(started: Started, clock: Clock) {
    this.started = started
    this.clock = clock
    this.stdout = started.child.stdout
    this.stderr = started.child.stderr
    this.exited = started.exited
  }

  /** Asks everything to end, and ends what is left after `graceMs`. */
  async terminate(graceMs: number): Promise<void> {
    const { clock, started } = this
    const until = clock.monotonic() + graceMs
    if (!this.killing) started.ask()
    while (!this.killing && started.isAlive() && clock.monotonic() < until) {
      await new Promise<void>((resolve) => clock.after(LOOK_AGAIN_MS, resolve, true))
    }
    await this.kill()
  }

  /** Ends everything that is left; done when all that was written has been read. Twice does no harm. */
  kill(): Promise<void> {
    this.killing ??= this.end()
    return this.killing
  }

  private async end(): Promise<void> {
    const { child, closed } = this.started
    await this.started.kill()
    const hangUp = () => {
      for (const stream of child.stdio) stream?.destroy()
    }
    const patience = this.clock.after(LAST_WORDS_MS, hangUp, true)
    await closed
    patience.cancel()
  }
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
}

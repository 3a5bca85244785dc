/** The real server as a process to be killed. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Program, startProgram } from '../../support/programs/program.ts'

const DYING_MS = 1_000

export interface ServerProcess {
  readonly url: string
  /** Throws if the process is dead or being killed. */
  refuseDead(): Promise<void>
  signal(signal: NodeJS.Signals): void
  /** kill -9; throws if the process is already dead. */
  kill(): Promise<void>
  /** Stops the server and returns its exit code. */
  stop(): Promise<Awaited<Program['ended']>>
}

/** Resolves when the server listens. It ends with the test. `folder` has no `.env`; `settings` name the database. */
export async function startServerProcess(
  folder: string,
  settings: Readonly<Record<string, string>>,
): Promise<ServerProcess> {
  const program = startProgram(folder, settings)
  const port = await program.listening

  function isDead() {
    const { exitCode, signalCode } = program.child
    return exitCode !== null || signalCode !== null
  }

  async function refuse() {
    throw new Error(`the server died by itself (${await program.ended}): ${program.stderr()}`)
  }

  async function end(signal: NodeJS.Signals) {
    if (isDead()) await refuse()
    program.child.kill(signal)
    return program.ended
  }

  return {
    url: `http://127.0.0.1:${port}`,
    async refuseDead() {
      // Its connections break before the exit event arrives.
      await Promise.race([program.ended, sleep(DYING_MS)])
      if (isDead()) await refuse()
    },
    signal: (signal) => void program.child.kill(signal),
    async kill() {
      await end('SIGKILL')
    },
    stop: () => end('SIGTERM'),
  }
}

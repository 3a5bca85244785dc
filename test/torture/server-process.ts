/** The real server on a given file, made to be killed. */
import { dirname } from 'node:path'
import { type Program, startProgram } from '../support/program.ts'

export interface ServerProcess {
  readonly url: string
  /** kill -9; throws if it was dead already. */
  kill(): Promise<void>
  /** Asks it to end; gives its exit code. */
  stop(): Promise<Awaited<Program['ended']>>
}

/** Resolves when it listens. It never outlives the test, and runs in the folder of its database, where no `.env` lies. */
export async function startServerProcess(file: string): Promise<ServerProcess> {
  const program = startProgram(dirname(file), { DB_PATH: file })
  const port = await program.listening

  async function end(signal: NodeJS.Signals) {
    const { exitCode, signalCode } = program.child
    if (exitCode !== null || signalCode !== null) {
      throw new Error(`the server died by itself (${exitCode ?? signalCode}): ${program.stderr()}`)
    }
    program.child.kill(signal)
    return program.ended
  }

  return {
    url: `http://127.0.0.1:${port}/trpc`,
    async kill() {
      await end('SIGKILL')
    },
    stop: () => end('SIGTERM'),
  }
}

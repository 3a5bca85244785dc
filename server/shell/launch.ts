/** Starts a child process; its exit and close are promises, so late listeners miss nothing. */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { UnrecoverableError } from '../worker/jobs/handler-errors.ts'

export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

export interface Launched {
  readonly child: ChildProcess
  readonly pid: number
  readonly exited: Promise<Exit>
  /** Resolves when the process has exited and all holders of its stdio have closed it. */
  readonly closed: Promise<void>
}

/** Throws an `UnrecoverableError` when the process can never start, any other error when a retry may succeed. */
export async function launch(file: string, args: readonly string[], options: SpawnOptions): Promise<Launched> {
  const child = failIfTooLong(() => spawn(file, args, options))
  const exited = new Promise<Exit>((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })))
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()))
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve)
    child.once('error', (error) => reject(new Error(`The command could not be started: ${error.message}`)))
  })
  const { pid } = child
  if (pid === undefined) throw new Error('The command could not be started.')
  return { child, pid, exited, closed }
}

function failIfTooLong(start: () => ChildProcess): ChildProcess {
  try {
    return start()
  } catch (error) {
    const isTooLong = error instanceof Error && 'code' in error && error.code === 'E2BIG'
    if (isTooLong)
      throw new UnrecoverableError(
        'The command and its environment exceed the size limit of this system; shorten them.',
      )
    throw error
  }
}

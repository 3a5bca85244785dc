/** Starts one process and says how it fares; nothing is missed, however late somebody asks. */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { FailForGood } from '../worker/jobs/handler-errors.ts'

export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

export interface Launched {
  readonly child: ChildProcess
  readonly pid: number
  readonly exited: Promise<Exit>
  /** It has ended, and so has everybody who could still write for it. */
  readonly closed: Promise<void>
}

/** Throws an ordinary error when it cannot be started now, a FailForGood when it never could. */
export async function launch(file: string, args: readonly string[], options: SpawnOptions): Promise<Launched> {
  const child = tooLongFails(() => spawn(file, args, options))
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

function tooLongFails(start: () => ChildProcess): ChildProcess {
  try {
    return start()
  } catch (error) {
    const isTooLong = error instanceof Error && 'code' in error && error.code === 'E2BIG'
    if (isTooLong) throw new FailForGood('The command and its environment are too long for this system.')
    throw error
  }
}

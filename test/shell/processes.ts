/** Which processes of others are there. */
import { readdirSync, readFileSync } from 'node:fs'

/** A process that is dead and waits to be buried does nothing any more. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  return process.platform !== 'linux' || (read(`/proc/${pid}/stat`) ?? ') Z').split(') ')[1]?.[0] !== 'Z'
}

/** Everybody who runs for these jobs, wherever they went; elsewhere than on Linux nobody can tell. */
export function processesOf(...jobIds: readonly string[]): readonly number[] {
  if (process.platform !== 'linux') return []
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      const environment = read(`/proc/${pid}/environ`) ?? ''
      return jobIds.some((id) => environment.includes(`MILLRACE_JOB_ID=${id}\0`))
    })
    .map(Number)
}

/** Whoever ends while we look is gone. */
function read(file: string): string | null {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    return null
  }
}

/** Finds running processes. */
import { readdirSync, readFileSync } from 'node:fs'

/** A zombie process counts as ended. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  return process.platform !== 'linux' || (read(`/proc/${pid}/stat`) ?? ') Z').split(') ')[1]?.[0] !== 'Z'
}

/** All processes of these jobs, in any session; only available on Linux. */
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

/** A process that exits during the read counts as ended. */
function read(file: string): string | null {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    return null
  }
}

/** CPU time and memory of a process, from the proc file system of Linux. */
import { readdirSync, readFileSync } from 'node:fs'

/** Linux reports times in units of 10 ms. */
const TICK_MICROS = 10_000

interface Times {
  readonly parent: number
  readonly ticks: number
}

/** Microseconds of a process with its descendants, including those that have ended; null on other platforms. */
export function cpuMicrosOf(pid: number): number | null {
  if (process.platform !== 'linux') return null
  const all = new Map<number, Times>()
  for (const name of readdirSync('/proc')) {
    const times = /^\d+$/.test(name) ? readTimes(name) : null
    if (times) all.set(Number(name), times)
  }
  const isDescendant = (of: number): boolean => of === pid || (all.has(of) && isDescendant(all.get(of)?.parent ?? 0))
  let ticks = 0
  for (const [one, times] of all) if (isDescendant(one)) ticks += times.ticks
  return ticks * TICK_MICROS
}

/** Fields after the name, which may contain spaces: state, parent, …, utime (12th), stime, cutime, cstime. */
function readTimes(pid: string): Times | null {
  let text: string
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  } catch {
    // It has ended since the folder was listed.
    return null
  }
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
  return { parent: Number(fields[1]), ticks }
}

/** Bytes of a process that are in memory; null on other platforms. */
export function memoryOf(pid: number): number | null {
  if (process.platform !== 'linux') return null
  const kilobytes = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return kilobytes === undefined ? null : Number(kilobytes) * 1_024
}

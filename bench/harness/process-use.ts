/** CPU time, memory and written bytes of processes, from the proc file system of Linux. */
import { readdirSync, readFileSync } from 'node:fs'

/** Linux reports times in units of 10 ms. */
const TICK_MICROS = 10_000

/**
 * Microseconds of a process with its descendants, including those that have ended; null where the kernel does not list
 * children. Reads these processes only: among the servers of a whole comparison, reading all processes took 15 ms.
 */
export function cpuMicrosOf(pid: number): number | null {
  if (readProc(`${process.pid}/task/${process.pid}/children`) === null) return null
  const ticks = (of: number): number => childrenOf(of).reduce((sum, child) => sum + ticks(child), ownTicks(of))
  return ticks(pid) * TICK_MICROS
}

/** Children of all threads; none of a process that has ended. */
function childrenOf(pid: number): readonly number[] {
  return threadsOf(pid)
    .flatMap((thread) => (readProc(`${pid}/task/${thread}/children`) ?? '').split(' '))
    .filter((child) => child !== '')
    .map(Number)
}

function threadsOf(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/task`)
  } catch {
    return []
  }
}

/** Fields after the name, which may contain spaces: state, parent, …, utime (12th), stime, cutime, cstime. */
function ownTicks(pid: number): number {
  const text = readProc(`${pid}/stat`)
  if (text === null) return 0
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
}

/** Bytes of a process that are in memory; null on other platforms. */
export function memoryOf(pid: number): number | null {
  const kilobytes = /VmRSS:\s+(\d+) kB/.exec(readProc(`${pid}/status`) ?? '')?.[1]
  return kilobytes === undefined ? null : Number(kilobytes) * 1_024
}

/** Bytes that a process has sent to the disk, logs included; null where the kernel does not count them. */
export function writtenBytesOf(pid: number): number | null {
  const bytes = /^write_bytes: (\d+)$/m.exec(readProc(`${pid}/io`) ?? '')?.[1]
  return bytes === undefined ? null : Number(bytes)
}

/** Null: not there, because of another platform or kernel, or because the process has ended. */
function readProc(name: string): string | null {
  try {
    return readFileSync(`/proc/${name}`, 'utf8')
  } catch {
    return null
  }
}

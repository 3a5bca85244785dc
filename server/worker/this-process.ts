/** Unique name of the operating-system process, recorded with each claim to attribute crashes. */
import { hostname } from 'node:os'

/** Read once: two readings may round to different values, which would give one process two names. */
const startedAt = Number(process.hrtime.bigint() / 1_000n) / 1_000_000 - process.uptime()

/** Equal in all threads of the process; differs after a restart with the same host name and process id. */
export function thisProcess(): string {
  return `${hostname()}:${process.pid}:${startedAt.toFixed(1)}`
}

/** A name for the operating-system process: all jobs that it runs end together when one of them crashes it. */
import { hostname } from 'node:os'

/** Read once: two readings may differ by enough to be rounded to different instants, and one process would have two names. */
const startedAt = Number(process.hrtime.bigint() / 1_000n) / 1_000_000 - process.uptime()

/** The same in all threads of the process, and another one after a restart under the same host name and process number. */
export function thisProcess(): string {
  return `${hostname()}:${process.pid}:${startedAt.toFixed(1)}`
}

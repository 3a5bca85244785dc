/** A name for the operating-system process: all jobs that it runs end together when one of them crashes it. */
import { hostname } from 'node:os'

/** The same in all threads of the process, and another one after a restart under the same host name and process number. */
export function thisProcess(): string {
  const startedAt = Number(process.hrtime.bigint() / 1_000_000n) / 1_000 - process.uptime()
  return `${hostname()}:${process.pid}:${startedAt.toFixed(1)}`
}

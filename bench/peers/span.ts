/** A stretch of a turn: its length, and the CPU time of the client process and of all processes of the server in it. */
import { cpuMicrosOf } from '../harness/process-use.ts'
import type { ServerProcess } from './servers/started.ts'

export interface CpuTime {
  readonly clientMicros: number
  /** Null: unknown on this platform, or of a server elsewhere. */
  readonly serverMicros: number | null
}

export interface Span extends CpuTime {
  readonly ms: number
}

/** Begins a span; the returned function ends it. */
export type BeginSpan = () => () => Span

/** For a system whose client is the calling process. */
export function spansOf(server: ServerProcess): BeginSpan {
  const serverMicros = () => (server === 'in process' ? 0 : server === 'unknown' ? null : cpuMicrosOf(server))
  return () => {
    // Reading the processes of a server takes milliseconds, so it is before the start and after the end.
    const serverBefore = serverMicros()
    const clientBefore = process.cpuUsage()
    const startedAt = performance.now()
    return () => {
      const ms = performance.now() - startedAt
      const { user, system } = process.cpuUsage(clientBefore)
      const serverAfter = serverMicros()
      const isKnown = serverBefore !== null && serverAfter !== null
      return { ms, clientMicros: user + system, serverMicros: isKnown ? serverAfter - serverBefore : null }
    }
  }
}

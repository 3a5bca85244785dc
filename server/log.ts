/** The log: JSON lines on stdout, written in the background so that the hot path does not wait for a pipe. */
import pino, { type DestinationStream, type Logger } from 'pino'
import type { ServerConfig } from './server-config.ts'

export interface Log {
  readonly logger: Logger
  /** Writes what is still buffered: before the process ends. */
  flush(): void
}

const SECRETS = [
  'authorization',
  'cookie',
  'token',
  'authToken',
  '*.authorization',
  '*.cookie',
  '*.token',
  '*.authToken',
]

export function openLog(level: ServerConfig['logLevel'], destination?: DestinationStream): Log {
  const stdout = destination ?? pino.destination({ dest: 1, sync: false, minLength: 4_096, periodicFlush: 250 })
  const logger = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime, redact: SECRETS }, stdout)
  return {
    logger,
    flush() {
      if ('flushSync' in stdout && typeof stdout.flushSync === 'function') stdout.flushSync()
    },
  }
}

/** The log: JSON lines on stdout, written in the background so that the hot path does not wait for a pipe. */
import pino, { type DestinationStream, type Logger } from 'pino'
import type { ServerConfig } from './config/server-config.ts'

/** What a reader that has stopped reading may cost in memory; lines beyond it are dropped. */
const MAX_BUFFERED_BYTES = 64 * 1024 * 1024

/** Nothing logs these on purpose; an error object that carries one must not give it away. */
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

export interface Log {
  readonly logger: Logger
  /** Writes what is still buffered: before the process ends. */
  flush(): void
}

export function openLog(level: ServerConfig['logLevel'], destination?: DestinationStream): Log {
  const { stream, flush } = destination ? { stream: destination, flush: () => {} } : openStdout()
  const logger = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime, redact: SECRETS }, stream)
  return { logger, flush }
}

/** A full disk behind a redirected stdout must not stop the queue: it goes on without its log, and says so once. */
function openStdout(): { stream: DestinationStream; flush: () => void } {
  let isBroken = false
  const stdout = pino.destination({
    dest: 1,
    sync: false,
    minLength: 4_096,
    periodicFlush: 250,
    maxLength: MAX_BUFFERED_BYTES,
  })
  stdout.on('error', (error: Error) => {
    if (isBroken) return
    isBroken = true
    // Whoever flushes at exit would try for ever.
    stdout.flushSync = () => {}
    process.stderr.write(`The log cannot be written (${error.message}); going on without it.\n`)
  })
  return {
    stream: {
      write(line) {
        if (!isBroken) stdout.write(line)
      },
    },
    flush() {
      if (!isBroken) stdout.flushSync()
    },
  }
}

/** Server log: JSON lines on stdout, written asynchronously. */
import pino, { type DestinationStream, type Logger } from 'pino'
import type { ServerConfig } from './config/server-config.ts'

/** Buffer limit when stdout is not read; further lines are dropped. */
const MAX_BUFFERED_BYTES = 64 * 1024 * 1024

/** Redacted fields, in case a logged error object contains one. */
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
  /** Writes buffered lines; call it before the process exits. */
  flush(): void
}

export function openLog(level: ServerConfig['logLevel'], destination?: DestinationStream): Log {
  const { stream, flush } = destination ? { stream: destination, flush: () => {} } : openStdout()
  const logger = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime, redact: SECRETS }, stream)
  return { logger, flush }
}

/** A write error, such as a full disk, disables the log with one message on stderr; the queue keeps running. */
function openStdout(): { stream: DestinationStream; flush: () => void } {
  let isBroken = false
  const stdout = pino.destination({
    dest: 1,
    sync: false,
    // About 80 request lines: each write wakes a thread.
    minLength: 12_288,
    periodicFlush: 250,
    maxLength: MAX_BUFFERED_BYTES,
  })
  stdout.on('error', (error: Error) => {
    if (isBroken) return
    isBroken = true
    // A flush at exit would retry forever.
    stdout.flushSync = () => {}
    process.stderr.write(`The log cannot be written (${error.message}); continuing without it.\n`)
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

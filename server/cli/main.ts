#!/usr/bin/env node
/** Entry point of queuectl: connects `run` to the process. */
import { systemClock } from '../base/clock.ts'
import type { Input, Io, Output } from './io.ts'
import { run } from './run.ts'

const { stdin, stdout, stderr } = process

let ignoresClosedOutput = false

/** Exit quietly on EPIPE (for example when piped to `head`) unless the command still has writes to finish. */
for (const stream of [stdout, stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // A closed pipe reports EPIPE. A pipe that Node created for a child is a socket and may report ECONNRESET.
    if (error.code !== 'EPIPE' && error.code !== 'ECONNRESET') throw error
    if (!ignoresClosedOutput) process.exit(0)
  })
}

function output(stream: NodeJS.WriteStream): Output {
  return {
    isTTY: stream.isTTY ?? false,
    get columns() {
      return stream.columns || 80
    },
    get rows() {
      return stream.rows || 24
    },
    write: (text) => void (stream.writable && stream.write(text)),
  }
}

const input: Input = {
  isTTY: stdin.isTTY ?? false,
  [Symbol.asyncIterator]: () => stdin[Symbol.asyncIterator](),
  onKey(pressed) {
    const onData = (data: Buffer) => pressed(data.toString())
    stdin.setRawMode?.(true)
    stdin.on('data', onData).resume()
    return () => {
      stdin.off('data', onData).pause()
      stdin.setRawMode?.(false)
    }
  },
}

const io: Io = {
  stdout: output(stdout),
  stderr: output(stderr),
  stdin: input,
  clock: systemClock,
  envFile: '.env',
  environment: async () => (await import('../base/config/config.ts')).processEnvironment(),
  ignoreClosedOutput() {
    ignoresClosedOutput = true
  },
  onInterrupt(interrupted) {
    process.on('SIGINT', interrupted)
    return () => void process.off('SIGINT', interrupted)
  },
}

const exitCode = await run(process.argv.slice(2), io)
// `serve` keeps running (null). Every other command exits even if an idle connection is still open.
if (exitCode !== null) {
  if (stdout.writable) await new Promise<void>((resolve) => void stdout.write('', () => resolve()))
  process.exit(exitCode)
}

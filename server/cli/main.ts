#!/usr/bin/env node
/** The program queuectl: its process around `run`. */
import { systemClock } from '../base/clock.ts'
import type { Input, Io, Output } from './io.ts'
import { run } from './run.ts'

const { stdin, stdout, stderr } = process

let goesOnUnread = false

/** The reader may stop reading, as `head` does: commands that only print end then, without an error. */
for (const stream of [stdout, stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // A pipe that is closed gives EPIPE; one that Node made for a child is a socket, which also gives ECONNRESET.
    if (error.code !== 'EPIPE' && error.code !== 'ECONNRESET') throw error
    if (!goesOnUnread) process.exit(0)
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
  goOnUnread() {
    goesOnUnread = true
  },
  onInterrupt(interrupted) {
    process.on('SIGINT', interrupted)
    return () => void process.off('SIGINT', interrupted)
  },
}

const exitCode = await run(process.argv.slice(2), io)
// A server that was started goes on; everything else is over, whatever idle connection may be left.
if (exitCode !== null) {
  if (stdout.writable) await new Promise<void>((resolve) => void stdout.write('', () => resolve()))
  process.exit(exitCode)
}

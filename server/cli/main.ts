#!/usr/bin/env node
/** The program queuectl: its process around `run`. */
import { systemClock } from '../clock.ts'
import type { Input, Io, Output } from './io.ts'
import { run } from './run.ts'

const { stdin, stdout, stderr } = process

let goesOnUnread = false

/** Whoever reads us may stop reading, as `head` does; for those who only tell, that is the end, and no trouble. */
for (const stream of [stdout, stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
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
  environment: async () => (await import('../config.ts')).processEnvironment(),
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

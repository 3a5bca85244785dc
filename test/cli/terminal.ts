/** Runs queuectl inside the test process with captured input and output. */
import { type Clock, systemClock } from '../../server/base/clock.ts'
import type { Io, Output } from '../../server/cli/io.ts'
import { run } from '../../server/cli/run.ts'

export interface TerminalOptions {
  readonly env?: Readonly<Record<string, string>>
  /** Content of stdin. Without it stdin is a terminal without input. */
  readonly stdin?: string | AsyncIterable<string | Uint8Array>
  /** stdout and stderr are a terminal this wide. */
  readonly columns?: number
  readonly rows?: number
  readonly envFile?: string
  readonly clock?: Clock
}

export interface Ran {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  /** Every line of stdout, as JSON. */
  readonly json: readonly Record<string, unknown>[]
}

/** A run in progress, for commands that wait. */
export interface Running {
  readonly ended: Promise<Ran>
  stdout(): string
  press(key: string): void
  interrupt(): void
}

export function startQueuectl(argv: readonly string[], options: TerminalOptions = {}): Running {
  const written = { stdout: '', stderr: '' }
  const keys = new Set<(key: string) => void>()
  const interrupts = new Set<() => void>()
  const output = (name: 'stdout' | 'stderr'): Output => ({
    isTTY: options.columns !== undefined,
    columns: options.columns ?? 80,
    rows: options.rows ?? 24,
    write(text) {
      written[name] += text
    },
  })
  const given = typeof options.stdin === 'string' ? inPieces(options.stdin) : options.stdin
  const io: Io = {
    stdout: output('stdout'),
    stderr: output('stderr'),
    stdin: {
      isTTY: given === undefined,
      [Symbol.asyncIterator]: () => (given ?? inPieces(''))[Symbol.asyncIterator](),
      onKey(pressed) {
        keys.add(pressed)
        return () => void keys.delete(pressed)
      },
    },
    clock: options.clock ?? systemClock,
    envFile: options.envFile ?? '/nowhere/.env',
    environment: async () => options.env ?? {},
    // The output of a test is never closed.
    ignoreClosedOutput: () => {},
    onInterrupt(interrupted) {
      interrupts.add(interrupted)
      return () => void interrupts.delete(interrupted)
    },
  }
  const ended = run(argv, io).then((code) => {
    // All listeners must have been removed.
    if (keys.size + interrupts.size > 0) throw new Error('still listening to the terminal')
    const lines = written.stdout.split('\n').filter((line) => line !== '')
    return {
      code,
      ...written,
      get json() {
        return lines.map((line) => JSON.parse(line))
      },
    }
  })
  return {
    ended,
    stdout: () => written.stdout,
    press: (key) => {
      for (const pressed of keys) pressed(key)
    },
    interrupt: () => {
      for (const interrupted of interrupts) interrupted()
    },
  }
}

export function queuectl(argv: readonly string[], options: TerminalOptions = {}): Promise<Ran> {
  return startQueuectl(argv, options).ended
}

/** Splits text in the middle of lines and characters, as pipes do. */
async function* inPieces(text: string): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(text)
  const size = Math.max(7, Math.ceil(bytes.length / 5))
  for (let at = 0; at < bytes.length; at += size) yield bytes.slice(at, at + size)
}

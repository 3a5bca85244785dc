/** Input and output of a queuectl run, injected so that tests can run it in their own process. */
import type { Clock } from '../base/clock.ts'
import type { Environment } from '../base/config/config.ts'

export interface Output {
  readonly isTTY: boolean
  /** Terminal width. Without a terminal the value is not meaningful. */
  readonly columns: number
  readonly rows: number
  write(text: string): void
}

export interface Input extends AsyncIterable<string | Uint8Array> {
  readonly isTTY: boolean
  /** Calls `pressed` for every key, including Ctrl-C, until the returned function is called. */
  onKey(pressed: (key: string) => void): () => void
}

export interface Io {
  readonly stdout: Output
  readonly stderr: Output
  readonly stdin: Input
  readonly clock: Clock
  /** Path of the `.env` file. */
  readonly envFile: string
  /** Environment variables. Read lazily, because reading settings loads modules that `--help` does not need. */
  environment(): Promise<Environment>
  /** From now on a closed output pipe (`| head`) does not end the process, because writes are in progress. */
  ignoreClosedOutput(): void
  /** Ctrl-C calls `interrupted` instead of ending the process, until the returned function is called. */
  onInterrupt(interrupted: () => void): () => void
}

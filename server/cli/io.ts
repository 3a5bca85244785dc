/** What the command line touches of its process: handed in, so that a test can run it inside its own. */
import type { Clock } from '../base/clock.ts'
import type { Environment } from '../base/config/config.ts'

export interface Output {
  readonly isTTY: boolean
  /** Of the terminal; meaningless where there is none. */
  readonly columns: number
  readonly rows: number
  write(text: string): void
}

export interface Input extends AsyncIterable<string | Uint8Array> {
  readonly isTTY: boolean
  /** Every key as it is pressed, Ctrl-C included, until the returned function is called. */
  onKey(pressed: (key: string) => void): () => void
}

export interface Io {
  readonly stdout: Output
  readonly stderr: Output
  readonly stdin: Input
  readonly clock: Clock
  /** Where settings may stand besides the variables of the process. */
  readonly envFile: string
  /** Variables of the process; asked for late, because reading settings loads more than `--help` needs. */
  environment(): Promise<Environment>
  /** From now on work is done that must not stop half way because nobody reads of it any more, as after `| head`. */
  goOnUnread(): void
  /** Ctrl-C calls this instead of ending the process, until the returned function is called. */
  onInterrupt(interrupted: () => void): () => void
}

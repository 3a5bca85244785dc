/** Runs one command line and says how it ended; nothing here touches the process. */
import { CommanderError } from 'commander'
import { Cli } from './cli.ts'
import { EXIT, exitCodeOf, messageOf } from './exit-codes.ts'
import type { Io } from './io.ts'
import { addCommands, createProgram, globalOptions } from './program.ts'

/** null: a server took over the process, and ends it. */
export async function run(argv: readonly string[], io: Io): Promise<number | null> {
  const program = createProgram(io)
  const cli = new Cli(io, () => globalOptions(program))
  addCommands(program, cli)
  try {
    await program.parseAsync(argv, { from: 'user' })
    return cli.isHandedOver ? null : cli.exitCode
  } catch (error) {
    // Commander has said what was wrong, or shown its help.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage
    const exitCode = exitCodeOf(error)
    if (exitCode === null) {
      io.stderr.write(`queuectl failed, which is a fault of its own:\n${stackOf(error)}\n`)
      return EXIT.failed
    }
    io.stderr.write(`${messageOf(error)}\n`)
    return exitCode
  }
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

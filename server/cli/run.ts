/** Runs one command line and returns its exit code, without touching the process. */
import { CommanderError } from 'commander'
import { Cli } from './cli.ts'
import { EXIT, exitCodeOf, messageOf } from './exit-codes.ts'
import type { Io } from './io.ts'
import { addCommands, createProgram, globalOptions } from './program.ts'

/** null: `serve` keeps the process running. */
export async function run(argv: readonly string[], io: Io): Promise<number | null> {
  const program = createProgram(io)
  const cli = new Cli(io, () => globalOptions(program))
  addCommands(program, cli)
  try {
    await program.parseAsync(argv, { from: 'user' })
    return cli.isHandedOver ? null : cli.exitCode
  } catch (error) {
    // Commander has already printed the error or the help.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage
    const exitCode = exitCodeOf(error)
    if (exitCode === null) {
      io.stderr.write(`queuectl crashed (this is a bug):\n${stackOf(error)}\n`)
      return EXIT.failed
    }
    io.stderr.write(`${messageOf(error)}\n`)
    return exitCode
  }
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

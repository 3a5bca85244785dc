/** The commands of queuectl, for tests of their descriptions. */
import type { Command } from 'commander'
import { systemClock } from '../../../server/base/clock.ts'
import { Cli } from '../../../server/cli/cli.ts'
import type { Io } from '../../../server/cli/io.ts'
import { addCommands, createProgram } from '../../../server/cli/program.ts'

/** The commands cannot be run. */
export function describedProgram(): Command {
  const output = { isTTY: false, columns: 80, rows: 24, write: () => {} }
  const never = () => Promise.reject(new Error('Nothing is run here.'))
  const io: Io = {
    ...{
      stdout: output,
      stderr: output,
      envFile: '',
      environment: never,
      ignoreClosedOutput: never,
      onInterrupt: () => () => {},
    },
    stdin: { isTTY: true, onKey: () => () => {}, [Symbol.asyncIterator]: () => ({ next: never }) },
    clock: systemClock,
  }
  const made = createProgram(io)
  addCommands(made, new Cli(io, () => ({})))
  return made
}

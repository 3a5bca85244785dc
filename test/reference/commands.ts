/** The commands of queuectl, as its help has them. */
import type { Command } from 'commander'
import { Cli } from '../../server/cli/cli.ts'
import type { Io } from '../../server/cli/io.ts'
import { addCommands, createProgram } from '../../server/cli/program.ts'
import { systemClock } from '../../server/clock.ts'
import { code, table } from './markdown.ts'

export function commandsSection(): string {
  return table(['command', 'what it does'], rowsOf(program(), 'queuectl'))
}

/** Nothing is run: only descriptions are read. */
function program(): Command {
  const output = { isTTY: false, columns: 80, rows: 24, write: () => {} }
  const never = () => Promise.reject(new Error('Nothing is run here.'))
  const io: Io = {
    ...{
      stdout: output,
      stderr: output,
      envFile: '',
      environment: never,
      goOnUnread: never,
      onInterrupt: () => () => {},
    },
    stdin: { isTTY: true, onKey: () => () => {}, [Symbol.asyncIterator]: () => ({ next: never }) },
    clock: systemClock,
  }
  const made = createProgram(io)
  addCommands(made, new Cli(io, () => ({})))
  return made
}

function rowsOf(command: Command, path: string): readonly (readonly string[])[] {
  return command.commands.flatMap((child) => {
    const words = child.registeredArguments.map((one) => {
      const name = `${one.name()}${one.variadic ? '…' : ''}`
      return one.required ? `<${name}>` : `[${name}]`
    })
    const own = `${path} ${child.name()}`
    const isGroup = child.commands.length > 0
    const row = [code([own, ...words].join(' ')), child.description()]
    return isGroup ? rowsOf(child, own) : [row]
  })
}

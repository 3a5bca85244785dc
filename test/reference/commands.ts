/** The commands of queuectl, as its help has them. */
import type { Command } from 'commander'
import { describedProgram } from '../support/programs/described-program.ts'
import { code, table } from './markdown.ts'

export function commandsSection(): string {
  return table(['command', 'what it does'], rowsOf(describedProgram(), 'queuectl'))
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

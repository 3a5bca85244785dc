/** `completion`: generates shell completion scripts from the command tree. */
import { Argument, type Command } from 'commander'
import type { Cli } from '../../cli.ts'
import { bashScript, fishScript, type Node, zshScript } from './completion-scripts.ts'

const SHELLS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const
type Shell = keyof typeof SHELLS

export function addCompletion(program: Command, cli: Cli): void {
  program
    .command('completion')
    .description('print a completion script for your shell')
    .addArgument(new Argument('<shell>', 'bash, zsh or fish').choices(Object.keys(SHELLS)))
    .addHelpText(
      'after',
      `
Examples:
  $ source <(queuectl completion bash)                                     # in ~/.bashrc
  $ queuectl completion zsh > "\${fpath[1]}/_queuectl"
  $ queuectl completion fish > ~/.config/fish/completions/queuectl.fish`,
    )
    .action((shell: Shell) => cli.io.stdout.write(SHELLS[shell](nodes(program))))
}

/** Every command with its subcommands and options. The first node is the program itself, with an empty path. */
function nodes(program: Command): readonly Node[] {
  const globals = optionsOf(program)
  const walk = (command: Command, path: readonly string[]): readonly Node[] => {
    const children = command.commands.filter((child) => child.name() !== 'help')
    return [
      {
        path,
        words: [
          ...children.map((child) => ({ word: child.name(), description: child.description() })),
          ...(path.length === 0 ? [] : optionsOf(command)),
          ...globals,
        ],
      },
      ...children.flatMap((child) => walk(child, [...path, child.name()])),
    ]
  }
  return walk(program, [])
}

function optionsOf(command: Command): Node['words'] {
  const options = command.options.map(({ long, short, description }) => ({
    word: long ?? short ?? '',
    description,
  }))
  return [...options, ...(command.parent === null ? [{ word: '--help', description: 'show help' }] : [])]
}

/** `cleanup`: deletes finished jobs. */
import type { Command } from 'commander'
import type { CleanupInput } from '../../../shared/contracts/operate.ts'
import { isTerminal } from '../../../shared/status.ts'
import type { Cli } from '../cli.ts'
import { usageError } from '../exit-codes.ts'
import { duration } from '../input/option-values.ts'
import { readStates } from '../input/states.ts'
import { count } from '../output/format.ts'

interface CleanupOptions {
  readonly olderThan?: number
  readonly state?: string[]
  readonly type?: string
}

export function addCleanup(program: Command, cli: Cli): void {
  program
    .command('cleanup')
    .description('delete finished jobs; by default completed jobs past their retention')
    .option('--older-than <duration>', 'only jobs that finished longer ago than this: 0, 12h, 7d', duration)
    .option('--state <states...>', 'only these states: completed, dead or cancelled')
    .option('--type <name>', 'only jobs of this type')
    .addHelpText(
      'after',
      `
Examples:
  $ queuectl cleanup
  $ queuectl cleanup --older-than 7d --state completed dead`,
    )
    .action(async (options: CleanupOptions) => {
      const input = inputOf(options)
      await cli.withQueue(async (queue) => {
        const { removed } = await queue.cleanup({ ...input, actor: cli.actor })
        cli.isJson ? cli.printJson({ removed }) : cli.print(String(removed))
        cli.info(`${count(removed, 'job')} deleted.`)
      })
    })
}

function inputOf({ olderThan, state, type }: CleanupOptions): CleanupInput {
  const statuses = readStates(state ?? [])
  const status = statuses.filter(isTerminal)
  if (status.length < statuses.length)
    throw usageError('cleanup deletes only finished jobs; use the states completed, dead or cancelled.')
  return {
    ...(olderThan !== undefined && { olderThanMs: olderThan }),
    ...(status.length > 0 && { status: [...new Set(status)] }),
    ...(type !== undefined && { type }),
  }
}

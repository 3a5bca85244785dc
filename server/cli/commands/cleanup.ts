/** `cleanup`: removes finished jobs. */
import type { Command } from 'commander'
import type { CleanupInput } from '../../../shared/contracts/operate.ts'
import { isTerminal } from '../../../shared/status.ts'
import type { Cli } from '../cli.ts'
import { usage } from '../exit-codes.ts'
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
    .description('remove finished jobs: completed ones past their retention, unless told otherwise')
    .option('--older-than <duration>', 'finished longer ago than this: 0, 12h, 7d', duration)
    .option('--state <states...>', 'completed, dead or cancelled')
    .option('--type <name>', 'of this type')
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
        cli.say(`${count(removed, 'job')} removed.`)
      })
    })
}

function inputOf({ olderThan, state, type }: CleanupOptions): CleanupInput {
  const asked = readStates(state ?? [])
  const status = asked.filter(isTerminal)
  if (status.length < asked.length) throw usage('Only finished jobs are cleaned up: completed, dead or cancelled.')
  return {
    ...(olderThan !== undefined && { olderThanMs: olderThan }),
    ...(status.length > 0 && { status: [...new Set(status)] }),
    ...(type !== undefined && { type }),
  }
}

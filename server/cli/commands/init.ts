/** `init`: creates the queue or migrates it to this version. */
import type { Command } from 'commander'
import type { Cli } from '../cli.ts'
import { DIALECTS } from '../output/format.ts'

export function addInit(program: Command, cli: Cli): void {
  program
    .command('init')
    .alias('initdb')
    .description('create the queue and its tables, or migrate them to this version')
    .addHelpText(
      'after',
      `
Examples:
  $ queuectl init
  $ queuectl --url postgres://me@db/queue init`,
    )
    .action(async () => {
      await cli.withQueue(
        async (queue, where) => {
          const { dialect, version, location } = await queue.facts()
          if (cli.isJson) cli.printJson({ dialect, version, location })
          else cli.print(location)
          const prefix = where.kind === 'server' ? 'The server manages its own database:' : 'The queue is ready:'
          cli.info(`${prefix} ${DIALECTS[dialect]} ${version}.`)
        },
        { mayCreate: true },
      )
    })
}

/** `init`: makes the queue, or finds it well. */
import type { Command } from 'commander'
import type { Cli } from '../cli.ts'
import { DIALECTS } from '../output/database-names.ts'

export function addInit(program: Command, cli: Cli): void {
  program
    .command('init')
    .alias('initdb')
    .description('make the queue and its tables, or bring them to this version')
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
          const whose = where.kind === 'server' ? 'The server looks after its own' : 'The queue is ready:'
          cli.say(`${whose} ${DIALECTS[dialect]} ${version}.`)
        },
        { mayCreate: true },
      )
    })
}

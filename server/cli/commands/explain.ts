/** `explain`: shows why a job is not running or why it ran again. */
import type { Command } from 'commander'
import type { Cli } from '../cli.ts'
import { findJobId } from '../input/find-job.ts'
import { oneLine } from '../output/format.ts'
import { localIso } from '../output/times.ts'

export function addExplain(program: Command, cli: Cli): void {
  program
    .command('explain')
    .alias('why')
    .description('show why a job is not running, or why it ran again')
    .argument('<id>', 'job id, its last 8 characters, or the dedupe key')
    .addHelpText(
      'after',
      `
Examples:
  $ queuectl explain 019a8c5e-30c1`,
    )
    .action(async (given: string) => {
      await cli.withQueue(async (queue) => {
        const explanation = await queue.explain({ id: await findJobId(queue, given) })
        if (cli.isJson) cli.printJson(explanation)
        else cli.print(textOf(explanation), ...explanation.history.map((line) => `  ${oneLine(line)}`))
      })
    })
}

/** Appends the time of the explanation in local time. */
function textOf({ text, at }: { readonly text: string; readonly at: number | null }): string {
  return at === null ? oneLine(text) : `${oneLine(text)} That is ${localIso(at)}.`
}

/** `doctor`: looks the queue over and says what is wrong. */
import type { Command } from 'commander'
import type { Examined } from '../../../ops/maintenance.ts'
import type { Cli } from '../../cli.ts'
import { EXIT, Refusal } from '../../exit-codes.ts'
import { requireFile } from '../../input/require-file.ts'
import type { Where } from '../../input/where.ts'
import { count } from '../../output/format.ts'
import type { Colour } from '../../output/paint.ts'
import { type Column, table } from '../../output/table.ts'

const MARKS: Readonly<Record<Examined['level'], readonly [mark: string, colour: Colour]>> = {
  ok: ['✓ ok', 'green'],
  warn: ['! warn', 'yellow'],
  bad: ['✗ bad', 'red'],
  skipped: ['- skip', 'dim'],
}

export function addDoctor(program: Command, cli: Cli): void {
  program
    .command('doctor')
    .description(
      'look the queue over: durability, clock, stuck jobs, jobs that wait for a worker, counters, integrity, disk',
    )
    .option('--quick', 'leave out what reads every row')
    .addHelpText(
      'after',
      `
It changes nothing. Exit code 1 when something is bad; warnings are for you to judge. Of a server it sees what the server
tells; run it on the database for the rest.

Examples:
  $ queuectl doctor
  $ queuectl doctor --json | jq 'select(.level != "ok")'`,
    )
    .action(async ({ quick }: { readonly quick?: boolean }) => {
      const findings = await examine(cli, await cli.where(), quick ?? false)
      if (cli.isJson) for (const finding of findings) cli.printJson(finding)
      else await printFindings(cli, findings)
      const [bad, warnings] = ['bad', 'warn'].map((level) => findings.filter((one) => one.level === level).length)
      const notes = warnings ? count(warnings, 'warning') : ''
      if (bad) cli.say(`${count(bad, 'thing')} to mend${notes && `, ${notes}`}.`)
      else cli.say(notes ? `${notes}, and nothing is broken.` : 'Nothing is wrong.')
      if (bad) cli.exitCode = EXIT.failed
    })
}

async function examine(cli: Cli, where: Where, isQuick: boolean): Promise<readonly Examined[]> {
  if (where.kind === 'server') {
    const { examineServer } = await import('./doctor-server.ts')
    let findings: readonly Examined[] = []
    await cli.withQueue(async (queue) => {
      findings = await examineServer(queue, where.url, cli.io.clock)
    })
    return findings
  }
  requireFile(where)
  const { examineDatabase } = await import('../../../ops/maintenance.ts')
  const { inOneLine } = await import('../../../ops/start-errors.ts')
  const file = where.kind === 'sqlite' ? where.file : null
  try {
    return await examineDatabase({ config: where.config, file, clock: cli.io.clock, isQuick })
  } catch (error) {
    throw new Refusal(EXIT.unreachable, inOneLine(error))
  }
}

async function printFindings(cli: Cli, findings: readonly Examined[]): Promise<void> {
  const options = await cli.tableOptions()
  const columns: Column<Examined>[] = [
    {
      title: '',
      cell: ({ level }) => MARKS[level][0],
      brush: ({ level }) => options.paint[MARKS[level][1]],
    },
    { title: 'LOOKED AT', cell: ({ check }) => check },
    { title: 'FOUND', cell: ({ text }) => text },
  ]
  // Nothing of a diagnosis is cut off.
  cli.print(...table(columns, findings, { ...options, width: Number.POSITIVE_INFINITY }))
}

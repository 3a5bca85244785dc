/** `doctor`: checks the queue and reports problems. */
import type { Command } from 'commander'
import type { InspectionResult } from '../../../ops/maintenance.ts'
import { type Cli, requireFile } from '../../cli.ts'
import { CliError, EXIT } from '../../exit-codes.ts'
import type { Where } from '../../input/where.ts'
import { count } from '../../output/format.ts'
import type { Colour } from '../../output/paint.ts'
import { type Column, table } from '../../output/table.ts'

const MARKS: Readonly<Record<InspectionResult['level'], readonly [mark: string, colour: Colour]>> = {
  ok: ['✓ ok', 'green'],
  warn: ['! warn', 'yellow'],
  bad: ['✗ bad', 'red'],
  skipped: ['- skip', 'dim'],
}

export function addDoctor(program: Command, cli: Cli): void {
  program
    .command('doctor')
    .description(
      'check the queue: durability, clock, stuck jobs, jobs without a worker, schedules, counters, integrity, disk',
    )
    .option('--quick', 'skip checks that read every row')
    .addHelpText(
      'after',
      `
Read-only. The exit code is 1 if a check is bad; warnings do not change it. Some checks need direct access to the database
and are skipped for a server.

Examples:
  $ queuectl doctor
  $ queuectl doctor --json | jq 'select(.level != "ok")'`,
    )
    .action(async ({ quick }: { readonly quick?: boolean }) => {
      const findings = await inspect(cli, await cli.where(), quick ?? false)
      if (cli.isJson) for (const finding of findings) cli.printJson(finding)
      else await printFindings(cli, findings)
      const [bad, warnings] = ['bad', 'warn'].map((level) => findings.filter((one) => one.level === level).length)
      const notes = warnings ? count(warnings, 'warning') : ''
      if (bad) cli.info(`${count(bad, 'problem')} found${notes && `, ${notes}`}.`)
      else cli.info(notes ? `No problems, ${notes}.` : 'No problems found.')
      if (bad) cli.exitCode = EXIT.failed
    })
}

async function inspect(cli: Cli, where: Where, isQuick: boolean): Promise<readonly InspectionResult[]> {
  if (where.kind === 'server') {
    const { inspectServer } = await import('./doctor-server.ts')
    let findings: readonly InspectionResult[] = []
    await cli.withQueue(async (queue) => {
      findings = await inspectServer(queue, where.url, cli.io.clock)
    })
    return findings
  }
  requireFile(where)
  const { inspectDatabase } = await import('../../../ops/maintenance.ts')
  const { formatStartError } = await import('../../../ops/start-errors.ts')
  const file = where.kind === 'sqlite' ? where.file : null
  try {
    return await inspectDatabase({ config: where.config, file, clock: cli.io.clock, isQuick })
  } catch (error) {
    throw new CliError(EXIT.unreachable, formatStartError(error))
  }
}

async function printFindings(cli: Cli, findings: readonly InspectionResult[]): Promise<void> {
  const options = await cli.tableOptions()
  const columns: Column<InspectionResult>[] = [
    {
      title: '',
      cell: ({ level }) => MARKS[level][0],
      brush: ({ level }) => options.paint[MARKS[level][1]],
    },
    { title: 'CHECK', cell: ({ check }) => check },
    { title: 'RESULT', cell: ({ text }) => text },
  ]
  // Results are never truncated.
  cli.print(...table(columns, findings, { ...options, width: Number.POSITIVE_INFINITY }))
}

/** `types`: lists job types with their limits and counts. */
import type { Command } from 'commander'
import type { Queue } from '../../../shared/queue.ts'
import { emptyCounts, type StatusCounts } from '../../../shared/status.ts'
import type { Cli } from '../cli.ts'
import { grouped } from '../output/format.ts'
import { type Column, type TableOptions, table } from '../output/table.ts'

type TypeRow = Awaited<ReturnType<Queue['types']>>[number]
type Counted = TypeRow & { readonly counts: StatusCounts }

export function addTypes(program: Command, cli: Cli): void {
  program
    .command('types')
    .description('list job types with their limits and job counts')
    .addHelpText('after', '\nExamples:\n  $ queuectl types')
    .action(async () => {
      await cli.withQueue(async (queue) => {
        const [types, stats] = await Promise.all([queue.types(), queue.stats()])
        const rows = types.map((type) => ({ ...type, counts: stats.byType[type.name] ?? emptyCounts() }))
        if (cli.isJson) for (const row of rows) cli.printJson(row)
        else if (rows.length > 0) cli.print(...typeTable(rows, await cli.tableOptions()))
        if (rows.length === 0) cli.info('No job types yet; a type appears with its first job.')
      })
    })
}

function typeTable(rows: readonly Counted[], options: TableOptions): string[] {
  const limit = (value: number | null, unit: string) => (value === null ? '–' : `${grouped(value)}${unit}`)
  const columns: Column<Counted>[] = [
    { title: 'TYPE', cell: ({ name }) => name },
    { title: 'KIND', cell: ({ kind }) => kind },
    {
      title: 'STATE',
      cell: ({ effective }) => (effective.paused ? 'paused' : 'running'),
      brush: ({ effective }) => (effective.paused ? options.paint.yellow : options.paint.green),
    },
    {
      title: 'PENDING',
      cell: ({ counts }) => grouped(counts.pending + counts.scheduled + counts.blocked),
      isNumber: true,
    },
    { title: 'PROCESSING', cell: ({ counts }) => grouped(counts.processing), isNumber: true },
    { title: 'COMPLETED', cell: ({ counts }) => grouped(counts.completed), isNumber: true },
    { title: 'FAILED', cell: ({ counts }) => grouped(counts.retrying), isNumber: true },
    { title: 'DEAD', cell: ({ counts }) => grouped(counts.failed + counts.cancelled), isNumber: true },
    { title: 'RATE', cell: ({ effective }) => limit(effective.rate, '/s'), isNumber: true, isOptional: true },
    {
      title: 'CONCURRENCY',
      cell: ({ effective }) => limit(effective.maxConcurrency, ''),
      isNumber: true,
      isOptional: true,
    },
    { title: 'ATTEMPTS', cell: ({ effective }) => grouped(effective.maxAttempts), isNumber: true, isOptional: true },
  ]
  return table(columns, rows, options)
}

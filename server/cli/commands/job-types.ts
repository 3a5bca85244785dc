/** `types`, `pause` and `resume`: what kinds of jobs there are, and whether they may be taken. */
import type { Command } from 'commander'
import { QueueError } from '../../../shared/errors.ts'
import { nearest } from '../../../shared/nearest.ts'
import { emptyCounts, type StatusCounts } from '../../../shared/status.ts'
import type { Queue } from '../../queue/queue.ts'
import type { Cli } from '../cli.ts'
import { grouped } from '../output/format.ts'
import { type Column, type TableOptions, table } from '../output/table.ts'

type TypeRow = Awaited<ReturnType<Queue['types']>>[number]
type Counted = TypeRow & { readonly counts: StatusCounts }

export function addTypes(program: Command, cli: Cli): void {
  program
    .command('types')
    .description('list the types of jobs, their limits and their counts')
    .addHelpText('after', '\nExamples:\n  $ queuectl types')
    .action(async () => {
      await cli.withQueue(async (queue) => {
        const [types, stats] = await Promise.all([queue.types(), queue.stats()])
        const rows = types.map((type) => ({ ...type, counts: stats.byType[type.name] ?? emptyCounts() }))
        if (cli.isJson) for (const row of rows) cli.printJson(row)
        else if (rows.length > 0) cli.print(...typeTable(rows, await cli.tableOptions()))
        if (rows.length === 0) cli.say('No types yet; the first job of one makes it known.')
      })
    })
  addSwitch(program, cli, 'pause', 'take no more jobs of a type, or none at all, until it is resumed', true)
  addSwitch(program, cli, 'resume', 'take jobs again', false)
}

function addSwitch(program: Command, cli: Cli, name: 'pause' | 'resume', description: string, paused: boolean): void {
  program
    .command(name)
    .description(description)
    .argument('[type]', 'the type; without one the whole queue')
    .addHelpText('after', `\nExamples:\n  $ queuectl ${name}\n  $ queuectl ${name} mail`)
    .action(async (type: string | undefined) => {
      await cli.withQueue(async (queue) => {
        const { actor } = cli
        if (type === undefined) await (paused ? queue.pause({ actor }) : queue.resume({ actor }))
        else await turn(queue, type, paused, actor)
        if (cli.isJson) cli.printJson({ type: type ?? null, paused })
        const whole = await queue.settings()
        const rest = type !== undefined && !paused && whole.paused ? ' The whole queue is still paused.' : ''
        const what = type === undefined ? 'The queue' : `Type ${type}`
        const verb = paused ? 'is paused; what runs goes on' : 'is resumed'
        cli.say(`${what} ${verb}.${rest}`)
      })
    })
}

async function turn(queue: Queue, name: string, paused: boolean, actor: string): Promise<void> {
  try {
    await (paused ? queue.pauseType({ name, actor }) : queue.resumeType({ name, actor }))
  } catch (error) {
    if (!(error instanceof QueueError) || error.code !== 'NOT_FOUND') throw error
    const known = (await queue.types()).map((type) => type.name)
    const meant = nearest(name, known, 3)
    throw meant === undefined ? error : new QueueError('NOT_FOUND', `There is no type ${name}; did you mean ${meant}?`)
  }
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
    { title: 'PENDING', cell: ({ counts }) => grouped(counts.pending + counts.scheduled), isNumber: true },
    { title: 'PROCESSING', cell: ({ counts }) => grouped(counts.processing), isNumber: true },
    { title: 'COMPLETED', cell: ({ counts }) => grouped(counts.completed), isNumber: true },
    { title: 'FAILED', cell: ({ counts }) => grouped(counts.retrying), isNumber: true },
    { title: 'DEAD', cell: ({ counts }) => grouped(counts.failed + counts.cancelled), isNumber: true },
    { title: 'RATE', cell: ({ effective }) => limit(effective.rate, '/s'), isNumber: true, isOptional: true },
    {
      title: 'AT ONCE',
      cell: ({ effective }) => limit(effective.maxConcurrency, ''),
      isNumber: true,
      isOptional: true,
    },
    { title: 'ATTEMPTS', cell: ({ effective }) => grouped(effective.maxAttempts), isNumber: true, isOptional: true },
  ]
  return table(columns, rows, options)
}

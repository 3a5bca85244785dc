/** `worker`: runs, stops and lists workers. */
import type { Command } from 'commander'
import type { Queue } from '../../../../shared/queue.ts'
import { livenessOf } from '../../../../shared/stats/worker-liveness.ts'
import type { Cli } from '../../cli.ts'
import { grouped } from '../../output/format.ts'
import { type Column, type TableOptions, table } from '../../output/table.ts'
import { age, timeWithAge } from '../../output/times.ts'
import { addWorkerStart } from './worker-start.ts'
import { addWorkerStop } from './worker-stop.ts'

type WorkerRow = Awaited<ReturnType<Queue['workers']>>[number]

export function addWorker(program: Command, cli: Cli): void {
  const worker = program
    .command('worker')
    .description('run command jobs; list and stop workers')
    .addHelpText(
      'after',
      '\nExamples:\n  $ queuectl worker start --count 4\n  $ queuectl worker list\n  $ queuectl worker stop',
    )
  addWorkerStart(worker, cli)
  addWorkerStop(worker, cli)
  addWorkerList(worker, cli)
}

function addWorkerList(worker: Command, cli: Cli): void {
  worker
    .command('list')
    .alias('ls')
    .description('list workers seen in the last day')
    .addHelpText('after', '\nExamples:\n  $ queuectl worker list --json')
    .action(async () => {
      await cli.withQueue(async (queue) => {
        const workers = await queue.workers()
        if (cli.isJson) for (const one of workers) cli.printJson({ ...one, state: stateOf(one, cli.now()) })
        else if (workers.length > 0) cli.print(...workerTable(workers, cli.now(), await cli.tableOptions()))
        if (workers.length === 0) cli.info('No workers seen in the last day.')
      })
    })
}

/** `stale`: recent heartbeats are missing. `gone`: none for a minute. */
function stateOf(worker: WorkerRow, now: number): 'draining' | 'gone' | 'running' | 'stale' {
  const signs = livenessOf(worker, now)
  if (signs !== 'reporting') return signs
  return worker.drainRequestedAt === null ? 'running' : 'draining'
}

function workerTable(workers: readonly WorkerRow[], now: number, options: TableOptions): string[] {
  const { paint } = options
  const brushes = { running: paint.green, draining: paint.yellow, stale: paint.yellow, gone: paint.dim }
  const columns: Column<WorkerRow>[] = [
    { title: 'NAME', cell: ({ name }) => name },
    { title: 'STATE', cell: (one) => stateOf(one, now), brush: (one) => brushes[stateOf(one, now)] },
    { title: 'PROCESSING', cell: ({ processing }) => grouped(processing), isNumber: true },
    { title: 'SLOTS', cell: ({ slots }) => (slots === null ? '–' : grouped(slots)), isNumber: true },
    { title: 'LAST SEEN', cell: ({ seenAt }) => age(seenAt, now) },
    { title: 'VERSION', cell: ({ version }) => version ?? '–', isOptional: true },
    { title: 'STARTED', cell: ({ startedAt }) => timeWithAge(startedAt, now), isOptional: true },
    { title: 'TYPES', cell: ({ types }) => (types.length === 0 ? 'all' : types.join(', ')) },
  ]
  return table(columns, workers, options)
}

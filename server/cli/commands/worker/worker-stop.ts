/** `worker stop`: drains workers on any machine. */
import type { Command } from 'commander'
import type { StoppedWorker } from '../../../shell/stop-workers.ts'
import type { Cli } from '../../cli.ts'
import { CliError, EXIT } from '../../exit-codes.ts'
import { count } from '../../output/format.ts'

interface StopOptions {
  readonly name?: string
  readonly wait: boolean
}

export function addWorkerStop(worker: Command, cli: Cli): void {
  worker
    .command('stop')
    .description('drain workers: they finish their running jobs, start no more and exit')
    .option('--name <name>', 'only this worker, or all workers started with this --name')
    .option('--no-wait', 'do not wait until they have finished')
    .addHelpText(
      'after',
      `
Without --name: all shell workers of this queue, on any machine. Ctrl-C stops waiting, not the drain.

Examples:
  $ queuectl worker stop
  $ queuectl worker stop --name nightly --no-wait`,
    )
    .action(async ({ name, wait }: StopOptions) => {
      const { stopWorkers } = await import('../../../shell/stop-workers.ts')
      const waiting = new AbortController()
      if (!wait) waiting.abort()
      const stopListening = cli.io.onInterrupt(() => waiting.abort())
      try {
        await cli.withQueue(async (queue) => {
          const { actor, io } = cli
          const options = { name: name ?? null, actor, clock: io.clock, signal: waiting.signal }
          report(cli, await stopWorkers(queue, options), name)
        })
      } finally {
        stopListening()
      }
    })
}

function report(cli: Cli, stopped: readonly StoppedWorker[], name: string | undefined): void {
  if (stopped.length === 0 && name !== undefined) {
    throw new CliError(EXIT.notFound, `No worker ${name} is running; see queuectl worker list.`)
  }
  if (cli.isJson) for (const one of stopped) cli.printJson(one)
  else cli.print(...stopped.map((one) => one.name))
  const left = stopped.reduce((sum, { processing }) => sum + processing, 0)
  const rest = left === 0 ? '' : `; ${count(left, 'job')} still running`
  cli.info(stopped.length === 0 ? 'No shell worker is running.' : `Drained ${count(stopped.length, 'worker')}${rest}.`)
}

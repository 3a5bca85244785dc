/** `worker start`: runs command jobs in worker processes until it is stopped. */
import { type Command, Option } from 'commander'
import { QueueError } from '../../../../shared/errors.ts'
import { limits } from '../../../../shared/limits.ts'
import type { QueueLocation } from '../../../shell/messages.ts'
import { type Cli, requireFile } from '../../cli.ts'
import { CliError, EXIT, usageError } from '../../exit-codes.ts'
import { duration, positive } from '../../input/option-values.ts'
import type { Where } from '../../input/where.ts'

interface StartOptions {
  readonly count: number
  readonly types?: string[]
  readonly concurrency: number
  readonly name?: string
  readonly grace: number
  readonly lease: number
}

const MAX_PROCESSES = 256
/** Leaves space for the suffix that each process adds. */
const MAX_NAME_LENGTH = 200

export function addWorkerStart(worker: Command, cli: Cli): void {
  worker
    .command('start')
    .description('run command jobs in worker processes until Ctrl-C or `queuectl worker stop`')
    .option('--count <number>', 'number of processes', positive, 1)
    .option('--types <names...>', 'only commands of these types')
    .option('--concurrency <number>', 'commands at the same time per process', positive, 1)
    .option('--name <name>', 'prefix of the worker names (default: host name)')
    .addOption(
      new Option('--grace <duration>', 'time to finish running commands after the first signal')
        .argParser(duration)
        .default(30_000, '30s'),
    )
    .addOption(
      new Option('--lease <duration>', 'lease: commands of a dead worker run again after this time')
        .argParser(duration)
        .default(30_000, '30s'),
    )
    .addHelpText(
      'after',
      `
Runs only jobs of kind command. A worker process that dies is restarted. Ctrl-C or SIGTERM starts no more commands and
waits for running ones, at most for the grace period; a second signal stops them and releases their jobs at once.
Messages go to stderr; with --json every event is a line on stdout.

Examples:
  $ queuectl worker start --count 4
  $ queuectl worker start --types backup report --concurrency 2 --name nightly
  $ queuectl --url http://127.0.0.1:3000 worker start --json | jq -r .line`,
    )
    .action(async (options: StartOptions) => {
      await validate(options)
      const where = await cli.where()
      requireFile(where)
      if (!(await runUntilStopped(cli, where, options))) cli.exitCode = EXIT.failed
    })
}

async function validate({ count, concurrency, lease, types, name }: StartOptions): Promise<void> {
  const { typeName, workerName } = await import('../../../../shared/contracts/fields.ts')
  const { min, max } = limits.leaseMs
  if (count > MAX_PROCESSES) throw usageError(`--count must be at most ${MAX_PROCESSES}.`)
  if (concurrency > limits.claim)
    throw usageError(`--concurrency must be at most ${limits.claim}; --count adds processes.`)
  if (lease < min || lease > max) throw usageError('--lease must be from 1s to 24h.')
  if (name !== undefined && !workerName.max(MAX_NAME_LENGTH).safeParse(name).success) {
    throw usageError(`--name must be 1 to ${MAX_NAME_LENGTH} printable characters.`)
  }
  const names = types && namesOf(types)
  if (names?.length === 0) throw usageError('--types needs at least one type.')
  const bad = names?.find((one) => !typeName.safeParse(one).success)
  if (bad !== undefined) throw usageError(`--types cannot be ${JSON.stringify(bad)}: not a valid type name.`)
}

/** Accepts both `a b` and `a,b`. */
function namesOf(types: readonly string[]): string[] {
  return types.flatMap((names) => names.split(',')).filter((name) => name !== '')
}

/** Reports a queue that cannot be opened as unreachable, not as a crash. */
async function runUntilStopped(cli: Cli, where: Where, options: StartOptions): Promise<boolean> {
  const { runWorkers } = await import('../../../shell/run-workers.ts')
  const { formatStartError } = await import('../../../ops/start-errors.ts')
  const { types, count, name, concurrency, lease: leaseMs, grace: graceMs } = options
  try {
    return await runWorkers({
      location: locationOf(where),
      types: types ? namesOf(types) : null,
      ...{ count, name, concurrency, leaseMs, graceMs },
      json: cli.isJson,
      log: (message) => cli.info(message),
      clock: cli.io.clock,
    })
  } catch (error) {
    throw error instanceof QueueError ? error : new CliError(EXIT.unreachable, formatStartError(error))
  }
}

function locationOf(where: Where): QueueLocation {
  if (where.kind === 'server') return { url: where.url, token: where.token }
  const { url, ...config } = where.config
  return { url, config }
}

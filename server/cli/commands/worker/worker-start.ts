/** `worker start`: runs commands, in processes of its own, until it is told to stop. */
import { type Command, Option } from 'commander'
import { QueueError } from '../../../../shared/errors.ts'
import { limits } from '../../../../shared/limits.ts'
import type { Home } from '../../../shell/messages.ts'
import type { Cli } from '../../cli.ts'
import { EXIT, Refusal, usage } from '../../exit-codes.ts'
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

const MOST_PROCESSES = 256
/** Something is added to it for each process. */
const LONGEST_NAME = 200

export function addWorkerStart(worker: Command, cli: Cli): void {
  worker
    .command('start')
    .description('run commands, in worker processes, until Ctrl-C or worker stop')
    .option('--count <number>', 'how many processes', positive, 1)
    .option('--types <names...>', 'only commands of these types')
    .option('--concurrency <number>', 'commands at the same time, in each process', positive, 1)
    .option('--name <name>', 'what their names begin with (the name of this machine)')
    .addOption(
      new Option('--grace <duration>', 'how long commands may take to finish after the first signal')
        .argParser(duration)
        .default(30_000, '30s'),
    )
    .addOption(
      new Option('--lease <duration>', 'how soon the commands of a worker that died run again')
        .argParser(duration)
        .default(30_000, '30s'),
    )
    .addHelpText(
      'after',
      `
Runs jobs of kind command and nothing else. A process that dies is started again. Ctrl-C or SIGTERM takes no more and
lets what runs finish within the grace; a second one ends it and gives it back at once. Words go to stderr; with --json
every event is a line on stdout.

Examples:
  $ queuectl worker start --count 4
  $ queuectl worker start --types backup report --concurrency 2 --name nightly
  $ queuectl --url http://127.0.0.1:3000 worker start --json | jq -r .line`,
    )
    .action(async (options: StartOptions) => {
      const { requireFile } = await import('../../input/require-file.ts')
      await refuseUnusable(options)
      const where = await cli.where()
      requireFile(where)
      if (!(await work(cli, where, options))) cli.exitCode = EXIT.failed
    })
}

async function refuseUnusable({ count, concurrency, lease, types, name }: StartOptions): Promise<void> {
  const { typeName, workerName } = await import('../../../../shared/contracts/fields.ts')
  const { min, max } = limits.leaseMs
  if (count > MOST_PROCESSES) throw usage(`--count must be at most ${MOST_PROCESSES}.`)
  if (concurrency > limits.claim) throw usage(`--concurrency must be at most ${limits.claim}; --count adds processes.`)
  if (lease < min || lease > max) throw usage('--lease must be from 1s to 24h.')
  if (name !== undefined && !workerName.max(LONGEST_NAME).safeParse(name).success) {
    throw usage(`--name must be 1 to ${LONGEST_NAME} printable characters.`)
  }
  const names = types && namesOf(types)
  if (names?.length === 0) throw usage('--types must name at least one type.')
  const bad = names?.find((one) => !typeName.safeParse(one).success)
  if (bad !== undefined) throw usage(`--types cannot be ${JSON.stringify(bad)}: no type can have that name.`)
}

/** `a b` and `a,b` are the same. */
function namesOf(types: readonly string[]): string[] {
  return types.flatMap((names) => names.split(',')).filter((name) => name !== '')
}

/** A queue that cannot be opened is no fault of ours. */
async function work(cli: Cli, where: Where, options: StartOptions): Promise<boolean> {
  const { runWorkers } = await import('../../../shell/run-workers.ts')
  const { inOneLine } = await import('../../../ops/start-errors.ts')
  const { types, count, name, concurrency, lease: leaseMs, grace: graceMs } = options
  try {
    return await runWorkers({
      home: homeOf(where),
      types: types ? namesOf(types) : null,
      ...{ count, name, concurrency, leaseMs, graceMs },
      json: cli.isJson,
      say: (words) => cli.say(words),
      clock: cli.io.clock,
    })
  } catch (error) {
    throw error instanceof QueueError ? error : new Refusal(EXIT.unreachable, inOneLine(error))
  }
}

function homeOf(where: Where): Home {
  if (where.kind === 'server') return { url: where.url, token: where.token }
  const { url, ...config } = where.config
  return { url, config }
}

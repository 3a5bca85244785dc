/** `logs`: what a job wrote, attempt by attempt, and what it goes on to write. */
import type { Command } from 'commander'
import type { LogLine } from '../../../shared/job.ts'
import { limits } from '../../../shared/limits.ts'
import { isTerminal } from '../../../shared/status.ts'
import type { Queue } from '../../queue/queue.ts'
import type { Cli } from '../cli.ts'
import { findJobId } from '../input/find-job.ts'
import { positive } from '../input/option-values.ts'
import { stateWords } from '../input/states.ts'
import { localIso } from '../input/times.ts'
import { tamed } from '../output/format.ts'
import type { Paint } from '../output/paint.ts'
import { pause } from '../sleep.ts'

const LOOK_EVERY_MS = 500
const PAGE = 1_000

interface LogsOptions {
  readonly follow?: boolean
  readonly times?: boolean
  readonly claim?: number
}

export function addLogs(program: Command, cli: Cli): void {
  program
    .command('logs')
    .description('print what a job wrote: stdout, stderr and log lines of every attempt')
    .argument('<id>', 'its id, the last 8 characters of it, or its dedupe key')
    .option('-f, --follow', 'go on until the job is finished')
    .option('-t, --times', 'put time and stream in front of each line')
    .option('--claim <number>', 'only of this attempt, as queuectl show numbers them', positive)
    .addHelpText(
      'after',
      `
Examples:
  $ queuectl logs 019a8c5e-30c1
  $ queuectl logs -f -t 019a8c5e-30c1
  $ queuectl logs 019a8c5e-30c1 --json | jq -r 'select(.stream == "stderr").line'`,
    )
    .action(async (given: string, options: LogsOptions) => {
      const interrupted = new AbortController()
      const undo = options.follow ? cli.io.onInterrupt(() => interrupted.abort()) : () => {}
      try {
        await cli.withQueue(async (queue) => {
          const id = await findJobId(queue, given)
          await follow(cli, queue, id, options, interrupted.signal)
        })
      } finally {
        undo()
      }
    })
}

async function follow(cli: Cli, queue: Queue, id: string, options: LogsOptions, signal: AbortSignal): Promise<void> {
  const paint = await cli.paint()
  let [after, printed, claim] = [0, 0, 0]
  let number: number | null = 0
  for (;;) {
    // Asked for first: what is written before a job ends is read after it.
    const { status } = await queue.get({ id })
    for (let more = true; more; ) {
      const lines = await queue.logs({ id, after, limit: PAGE })
      more = lines.length === PAGE
      after = lines.at(-1)?.id ?? after
      for (const line of lines) {
        if (options.claim !== undefined && line.version !== options.claim) continue
        if (line.version !== claim && !cli.isJson) cli.say(paint.dim(`── claim ${line.version}, ${localIso(line.at)}`))
        if (line.version !== claim) number = 0
        claim = line.version
        const missing = line.number === null || number === null ? 0 : line.number - number - 1
        if (missing > 0) cli.say(paint.dim(`── ${droppedText(missing)}`))
        number = line.number
        printed++
        printLine(cli, line, options.times ?? false, paint)
      }
    }
    if (!options.follow || isTerminal(status) || signal.aborted) {
      if (printed === 0)
        cli.say(`The job wrote nothing${isTerminal(status) ? '' : ' so far'}; it is ${stateWords(status)}.`)
      else if (options.follow) cli.say(paint.dim(`── ${stateWords(status)}`))
      return
    }
    await pause(cli.io.clock, LOOK_EVERY_MS, signal)
  }
}

function printLine(cli: Cli, line: LogLine, hasTimes: boolean, paint: Paint): void {
  if (cli.isJson) {
    cli.printJson(line)
    return
  }
  const text = cli.io.stdout.isTTY ? tamed(line.line) : line.line
  const shown = line.stream === 'stderr' ? paint.red(text) : text
  cli.print(hasTimes ? `${paint.dim(`${localIso(line.at)} ${line.stream.padEnd(6)}`)} ${shown}` : shown)
}

function droppedText(count: number): string {
  const what = count === 1 ? '1 line was' : `${count.toLocaleString('en-US')} lines were`
  return `${what} not kept: a log keeps the last ${limits.logLinesPerAttempt.toLocaleString('en-US')} lines of each attempt`
}

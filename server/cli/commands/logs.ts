/** `logs`: prints and follows the output of a job, attempt by attempt. */
import type { Command } from 'commander'
import type { LogLine } from '../../../shared/job.ts'
import { limits } from '../../../shared/limits.ts'
import type { Queue } from '../../../shared/queue.ts'
import { isTerminal } from '../../../shared/status.ts'
import type { Cli } from '../cli.ts'
import { findJobId } from '../input/find-job.ts'
import { positive } from '../input/option-values.ts'
import { formatState } from '../input/states.ts'
import { sanitizeLine } from '../output/format.ts'
import type { Paint } from '../output/paint.ts'
import { localIso } from '../output/times.ts'
import { sleep } from '../sleep.ts'

const POLL_MS = 500
const PAGE = 1_000

interface LogsOptions {
  readonly follow?: boolean
  readonly times?: boolean
  readonly claim?: number
}

export function addLogs(program: Command, cli: Cli): void {
  program
    .command('logs')
    .description('print the output of a job: stdout, stderr and log lines of every attempt')
    .argument('<id>', 'job id, its last 8 characters, or the dedupe key')
    .option('-f, --follow', 'keep printing new lines until the job is finished')
    .option('-t, --times', 'prefix each line with its time and stream')
    .option('--claim <number>', 'only this attempt (the claim number from queuectl show)', positive)
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
    // Read the status before the lines: lines written before the job finished are then never missed.
    const { status } = await queue.get({ id })
    for (let more = true; more; ) {
      const lines = await queue.logs({ id, after, limit: PAGE })
      more = lines.length === PAGE
      after = lines.at(-1)?.id ?? after
      for (const line of lines) {
        if (options.claim !== undefined && line.version !== options.claim) continue
        if (line.version !== claim && !cli.isJson) cli.info(paint.dim(`── claim ${line.version}, ${localIso(line.at)}`))
        if (line.version !== claim) number = 0
        claim = line.version
        const missing = line.number === null || number === null ? 0 : line.number - number - 1
        if (missing > 0) cli.info(paint.dim(`── ${droppedText(missing)}`))
        number = line.number
        printed++
        printLine(cli, line, options.times ?? false, paint)
      }
    }
    if (!options.follow || isTerminal(status) || signal.aborted) {
      if (printed === 0) cli.info(`No output${isTerminal(status) ? '' : ' yet'}; the job is ${formatState(status)}.`)
      else if (options.follow) cli.info(paint.dim(`── ${formatState(status)}`))
      return
    }
    await sleep(cli.io.clock, POLL_MS, signal)
  }
}

function printLine(cli: Cli, line: LogLine, hasTimes: boolean, paint: Paint): void {
  if (cli.isJson) {
    cli.printJson(line)
    return
  }
  const text = cli.io.stdout.isTTY ? sanitizeLine(line.line) : line.line
  const shown = line.stream === 'stderr' ? paint.red(text) : text
  cli.print(hasTimes ? `${paint.dim(`${localIso(line.at)} ${line.stream.padEnd(6)}`)} ${shown}` : shown)
}

function droppedText(count: number): string {
  const what = count === 1 ? '1 line was' : `${count.toLocaleString('en-US')} lines were`
  return `${what} not kept: a log keeps the last ${limits.logLinesPerAttempt.toLocaleString('en-US')} lines of each attempt`
}

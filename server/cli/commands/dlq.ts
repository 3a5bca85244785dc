/** `dlq`: lists and retries dead letters (permanently failed jobs, without cancelled ones). */
import type { Command } from 'commander'
import { QueueError } from '../../../shared/errors.ts'
import type { Queue } from '../../../shared/queue.ts'
import type { Cli } from '../cli.ts'
import { CliError, EXIT, exitCodeOf, usageError } from '../exit-codes.ts'
import { findJobId } from '../input/find-job.ts'
import { positive } from '../input/option-values.ts'
import { formatState } from '../input/states.ts'
import { count, grouped } from '../output/format.ts'
import { jobPages } from '../output/job-pages.ts'
import { attemptsOf, jobRecord, type ListedJob } from '../output/job-record.ts'
import { jobTable } from '../output/job-table.ts'

interface RetryOptions {
  readonly all?: boolean
  readonly type?: string
}

export function addDlq(program: Command, cli: Cli): void {
  const dlq = program
    .command('dlq')
    .description('list and retry dead letters: jobs that failed permanently')
    .addHelpText('after', '\nExamples:\n  $ queuectl dlq list\n  $ queuectl dlq retry --all --type shell')
  addDlqList(dlq, cli)
  dlq
    .command('retry')
    .description('retry dead letters (not cancelled jobs); the attempt count starts again at 0')
    .argument('[ids...]', 'job ids, their last 8 characters, or dedupe keys')
    .option('--all', 'retry all dead letters')
    .option('--type <name>', 'with --all: only jobs of this type')
    .addHelpText('after', '\nExamples:\n  $ queuectl dlq retry 019a8c5e-30c1\n  $ queuectl dlq retry --all')
    .action(async (given: string[], options: RetryOptions) => {
      if (given.length > 0 && options.all) throw usageError('Give ids or --all, not both.')
      if (given.length === 0 && !options.all)
        throw usageError('Missing the job id: queuectl dlq retry <id>, or --all for all dead letters.')
      if (options.type !== undefined && !options.all) throw usageError('--type needs --all.')
      await cli.withQueue(async (queue) => {
        if (options.all) await retryAll(cli, queue, options.type)
        else for (const word of given) await retryOne(cli, queue, word)
      })
    })
}

function addDlqList(dlq: Command, cli: Cli): void {
  dlq
    .command('list')
    .alias('ls')
    .description('list dead letters, newest first')
    .option('--type <name>', 'only jobs of this type')
    .option('-n, --limit <number>', 'maximum number of jobs', positive, 50)
    .addHelpText('after', '\nExamples:\n  $ queuectl dlq list --json | jq -r .last_error')
    .action(async ({ type, limit }: { readonly type?: string; readonly limit: number }) => {
      await cli.withQueue(async (queue) => {
        const attempts = await attemptsOf(queue)
        const jobs: ListedJob[] = []
        let total: number | null = null
        for await (const page of jobPages(queue, { ...dead(type), payloads: true }, limit)) {
          if (cli.isJson) for (const job of page.jobs) cli.printJson(jobRecord(job, attempts(job)))
          jobs.push(...page.jobs)
          total = page.total
        }
        if (cli.isJson) return
        if (jobs.length > 0) cli.print(...jobTable(jobs, attempts, cli.now(), await cli.tableOptions()))
        const more = total !== null && total > jobs.length ? ` of ${grouped(total)}; raise --limit to see more` : ''
        cli.info(jobs.length === 0 ? 'No dead letters.' : `${count(jobs.length, 'dead letter')}${more}.`)
      })
    })
}

function dead(type: string | undefined): { readonly status: ['failed']; readonly type?: string } {
  return { status: ['failed'], ...(type !== undefined && { type }) }
}

async function retryOne(cli: Cli, queue: Queue, given: string): Promise<void> {
  try {
    const id = await findJobId(queue, given)
    const { status } = await queue.get({ id })
    if (status !== 'failed') {
      const advice = status === 'cancelled' ? '; use queuectl retry for cancelled jobs' : ''
      throw new CliError(EXIT.conflict, `${id} is ${formatState(status)}, not a dead letter${advice}.`)
    }
    const result = await queue.retry({ id, actor: cli.actor })
    cli.isJson ? cli.printJson(result) : cli.print(`${id}  ${formatState(result.status)}`)
  } catch (error) {
    cli.reportError(error)
  }
}

/** Each dead letter is retried once, so a job that fails again meanwhile does not cause an endless loop. */
async function retryAll(cli: Cli, queue: Queue, type: string | undefined): Promise<void> {
  let [retried, skipped] = [0, 0]
  cli.io.ignoreClosedOutput()
  for await (const page of jobPages(queue, dead(type), Number.MAX_SAFE_INTEGER)) {
    const calls = page.jobs.map(({ id }) => queue.retry({ id, actor: cli.actor }))
    for (const [index, call] of (await Promise.allSettled(calls)).entries()) {
      if (call.status === 'fulfilled') {
        retried++
        if (cli.isJson) cli.printJson(call.value)
      } else if (isDeleted(call.reason)) {
      } else if (exitCodeOf(call.reason) === EXIT.conflict) {
        skipped++
        cli.info(`${page.jobs[index]?.id} was not retried: ${call.reason.message}`)
      } else {
        cli.info(`${count(retried, 'dead letter')} retried before this error.`)
        throw call.reason
      }
    }
  }
  if (!cli.isJson) cli.print(String(retried))
  cli.info(`${count(retried, 'dead letter')} retried${skipped > 0 ? `, ${grouped(skipped)} skipped` : ''}.`)
  if (skipped > 0) cli.exitCode = EXIT.conflict
}

/** The job was deleted meanwhile. */
function isDeleted(error: unknown): boolean {
  return error instanceof QueueError && error.code === 'NOT_FOUND'
}

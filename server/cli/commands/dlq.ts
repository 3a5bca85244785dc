/** `dlq`: the dead letters, jobs that failed for good. What somebody cancelled is not among them. */
import type { Command } from 'commander'
import { QueueError } from '../../../shared/errors.ts'
import type { Queue } from '../../queue/queue.ts'
import type { Cli } from '../cli.ts'
import { EXIT, exitCodeOf, Refusal, usage } from '../exit-codes.ts'
import { findJobId } from '../input/find-job.ts'
import { positive } from '../input/option-values.ts'
import { stateWords } from '../input/states.ts'
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
    .description('the dead letters: jobs that failed for good')
    .addHelpText('after', '\nExamples:\n  $ queuectl dlq list\n  $ queuectl dlq retry --all --type shell')
  addDlqList(dlq, cli)
  dlq
    .command('retry')
    .description('give dead jobs all their attempts again; never cancelled ones')
    .argument('[ids...]', 'ids, the last 8 characters of them, or dedupe keys')
    .option('--all', 'all of them')
    .option('--type <name>', 'with --all: of this type')
    .addHelpText('after', '\nExamples:\n  $ queuectl dlq retry 019a8c5e-30c1\n  $ queuectl dlq retry --all')
    .action(async (given: string[], options: RetryOptions) => {
      if (given.length > 0 && options.all) throw usage('Give ids or --all, not both.')
      if (given.length === 0 && !options.all)
        throw usage('Say which: queuectl dlq retry <id>, or --all for all of them.')
      if (options.type !== undefined && !options.all) throw usage('--type goes with --all.')
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
    .description('list them, newest first')
    .option('--type <name>', 'of this type')
    .option('-n, --limit <number>', 'at most so many', positive, 50)
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
        const more = total !== null && total > jobs.length ? ` of ${grouped(total)}; --limit shows more` : ''
        cli.say(jobs.length === 0 ? 'No dead letters.' : `${count(jobs.length, 'dead letter')}${more}.`)
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
      const advice = status === 'cancelled' ? '; queuectl retry takes up what was cancelled' : ''
      throw new Refusal(EXIT.conflict, `${id} is ${stateWords(status)}, not a dead letter${advice}.`)
    }
    const result = await queue.retry({ id, actor: cli.actor })
    cli.isJson ? cli.printJson(result) : cli.print(`${id}  ${stateWords(result.status)}`)
  } catch (error) {
    cli.complain(error)
  }
}

/** Every dead letter is looked at once, so one that dies again meanwhile does not make this endless. */
async function retryAll(cli: Cli, queue: Queue, type: string | undefined): Promise<void> {
  let [retried, kept] = [0, 0]
  cli.io.goOnUnread()
  for await (const page of jobPages(queue, dead(type), Number.MAX_SAFE_INTEGER)) {
    const calls = page.jobs.map(({ id }) => queue.retry({ id, actor: cli.actor }))
    for (const [index, call] of (await Promise.allSettled(calls)).entries()) {
      if (call.status === 'fulfilled') {
        retried++
        if (cli.isJson) cli.printJson(call.value)
      } else if (isGone(call.reason)) {
      } else if (exitCodeOf(call.reason) === EXIT.conflict) {
        kept++
        cli.say(`${page.jobs[index]?.id} stays: ${call.reason.message}`)
      } else {
        cli.say(`${count(retried, 'dead letter')} retried before that.`)
        throw call.reason
      }
    }
  }
  if (!cli.isJson) cli.print(String(retried))
  cli.say(`${count(retried, 'dead letter')} retried${kept > 0 ? `, ${grouped(kept)} kept` : ''}.`)
  if (kept > 0) cli.exitCode = EXIT.conflict
}

/** Somebody else removed it meanwhile. */
function isGone(error: unknown): boolean {
  return error instanceof QueueError && error.code === 'NOT_FOUND'
}

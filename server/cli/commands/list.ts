/** `list`: lists jobs, newest first by default. */
import { type Command, Option } from 'commander'
import type { ListInput } from '../../../shared/contracts/observe.ts'
import type { Cli } from '../cli.ts'
import { positive } from '../input/option-values.ts'
import { readStates, readStatuses, STATE_NAMES } from '../input/states.ts'
import { count, grouped } from '../output/format.ts'
import { jobPages } from '../output/job-pages.ts'
import { attemptsOf, jobRecord, type ListedJob } from '../output/job-record.ts'
import { jobTable } from '../output/job-table.ts'

interface ListOptions {
  readonly state?: string[]
  readonly status?: string[]
  readonly type?: string
  readonly worker?: string
  readonly group?: string
  readonly groupKey?: string
  readonly search?: string
  readonly sort: 'newest' | 'oldest' | 'claim'
  readonly limit: number
}

export function addList(program: Command, cli: Cli): void {
  program
    .command('list')
    .alias('ls')
    .description('list jobs')
    .option('--state <states...>', `only these states: ${STATE_NAMES.join(', ')}`)
    .option('--status <statuses...>', 'only these statuses (the names of the dashboard and the API)')
    .option('--type <name>', 'only jobs of this type')
    .option('--worker <name>', 'only jobs that this worker is running')
    .option('--group <name>', 'only jobs of this group')
    .option('--group-key <key>', 'only jobs with this key in their group')
    .option('--search <text>', 'only jobs with this text in the id, type, dedupe key, error or payload')
    .addOption(new Option('--sort <order>', 'sort order').choices(['newest', 'oldest', 'claim']).default('newest'))
    .option('-n, --limit <number>', 'maximum number of jobs', positive, 50)
    .addHelpText(
      'after',
      `
States are those of QueueCTL: a failed job waits for its next attempt; a dead job has none left or was cancelled.

Examples:
  $ queuectl list
  $ queuectl list --state pending processing --type shell
  $ queuectl list --state dead --json | jq -r .id`,
    )
    .action(async (options: ListOptions) => {
      const input = filterOf(options)
      await cli.withQueue(async (queue) => {
        const attempts = await attemptsOf(queue)
        const jobs: ListedJob[] = []
        let rest: number | null = null
        for await (const page of jobPages(queue, input, options.limit)) {
          if (cli.isJson) for (const job of page.jobs) cli.printJson(jobRecord(job, attempts(job)))
          jobs.push(...(cli.isJson ? [] : page.jobs))
          rest = page.isLast ? 0 : page.total
        }
        if (cli.isJson) return
        if (jobs.length > 0) cli.print(...jobTable(jobs, attempts, cli.now(), await cli.tableOptions()))
        cli.info(summary(jobs.length, rest, hasFilter(options)))
      })
    })
}

function filterOf(options: ListOptions): ListInput {
  const { state, status, type, worker, group, groupKey, search, sort } = options
  const statuses = [...readStates(state ?? []), ...readStatuses(status ?? [])]
  return {
    sort,
    payloads: true,
    ...(statuses.length > 0 && { status: [...new Set(statuses)] }),
    ...(type !== undefined && { type }),
    ...(worker !== undefined && { worker }),
    ...(group !== undefined && { group }),
    ...(groupKey !== undefined && { groupKey }),
    ...(search !== undefined && { search }),
  }
}

function hasFilter({ state, status, type, worker, group, groupKey, search }: ListOptions): boolean {
  return [state, status, type, worker, group, groupKey, search].some((given) => given !== undefined)
}

/** `rest`: the number of all matches if more exist, 0 if all are shown, null if not counted. */
function summary(shown: number, rest: number | null, isFiltered: boolean): string {
  if (shown === 0) return isFiltered ? 'No jobs match.' : 'No jobs yet; add one with queuectl enqueue.'
  if (rest === 0) return `${count(shown, 'job')}.`
  return `${grouped(shown)} of ${rest === null ? 'more' : grouped(rest)} jobs; raise --limit to see more.`
}

/** `show`: prints all details of one job. */
import type { Command } from 'commander'
import type { Attempt, Job } from '../../../shared/job.ts'
import { isTerminal } from '../../../shared/status.ts'
import type { Cli } from '../cli.ts'
import { findJobId } from '../input/find-job.ts'
import { formatState } from '../input/states.ts'
import { oneLine } from '../output/format.ts'
import { attemptsOf, commandOf, failuresOf, jobRecord } from '../output/job-record.ts'
import { type Paint, statusBrush } from '../output/paint.ts'
import { type Column, pairs, type TableOptions, table } from '../output/table.ts'
import { roundedDuration, timeWithAge } from '../output/times.ts'

export function addShow(program: Command, cli: Cli): void {
  program
    .command('show')
    .alias('get')
    .description('show all details of a job')
    .argument('<id>', 'job id, its last 8 characters, or the dedupe key')
    .addHelpText(
      'after',
      `
Examples:
  $ queuectl show 019a8c5e-30c1-7f3a-9d0e-8a4f4f0e7f11
  $ queuectl show 019a8c5e-30c1 --json | jq .payload`,
    )
    .action(async (given: string) => {
      await cli.withQueue(async (queue) => {
        const id = await findJobId(queue, given)
        const [job, ended, maxAttempts] = await Promise.all([
          queue.get({ id }),
          queue.attempts({ id }),
          attemptsOf(queue),
        ])
        const attempts = ended.map((attempt) => withCommandResult(attempt, job))
        if (cli.isJson) {
          cli.printJson({ ...jobRecord(job, maxAttempts(job)), history: attempts })
          return
        }
        const options = await cli.tableOptions()
        cli.print(...pairs(facts(job, maxAttempts(job), cli.now(), options.paint), options))
        if (attempts.length > 0) cli.print('', ...attemptTable(attempts, cli.now(), options))
      })
    })
}

/** The result of a successful command holds its exit code and duration. */
function withCommandResult(attempt: Attempt, { result }: Job): Attempt {
  if (attempt.outcome !== 'completed' || typeof result !== 'object' || result === null) return attempt
  const { exitCode, durationMs } = { exitCode: null, durationMs: null, ...result }
  if (typeof exitCode !== 'number' || typeof durationMs !== 'number') return attempt
  return { ...attempt, exitCode, startedAt: attempt.finishedAt - durationMs }
}

function facts(job: Job, maxAttempts: number, now: number, paint: Paint): readonly (readonly [string, string])[] {
  const entry = (name: string, value: string | number | null) =>
    value === null || value === '' ? [] : [[name, typeof value === 'string' ? oneLine(value) : String(value)] as const]
  const time = (name: string, at: number | null) => (at === null ? [] : [[name, timeWithAge(at, now)] as const])
  const command = commandOf(job.payload)
  return [
    ['id', job.id],
    ['state', statusBrush(paint, job.status)(formatState(job.status))],
    ...entry('type', job.type),
    ...entry('command', command),
    ['attempts', `${failuresOf(job)} failed (max_retries ${maxAttempts - 1})`],
    ['runs', `${job.attempts} of ${maxAttempts}`],
    ...entry('crashes', job.crashes || null),
    ...entry('priority', job.priority),
    ...entry('progress', job.progress === null ? null : `${job.progress} %`),
    ...entry('dedupe key', job.dedupeKey),
    ...entry('group', job.groupName === null ? null : `${job.groupName} / ${job.groupKey}`),
    ...entry('timeout', job.timeoutMs === null ? null : roundedDuration(job.timeoutMs)),
    ...time('created', job.createdAt),
    ...(isTerminal(job.status) ? [] : time('run after', job.runAt)),
    ...time('started', job.startedAt),
    ...time('lease until', job.leaseUntil),
    ...time('finished', job.finishedAt),
    ...time('expires', job.expiresAt),
    ...entry('worker', job.lockedBy),
    ...entry('error', job.error),
    ...(command === null ? indented('payload', job.payload) : []),
    ...(job.status === 'completed' ? indented('result', job.result) : []),
  ]
}

/** Pretty-printed JSON; the name stands on the first line. */
function indented(name: string, value: unknown): readonly (readonly [string, string])[] {
  const lines = (JSON.stringify(value, null, 2) ?? 'undefined').split('\n')
  return lines.map((line, index) => [index === 0 ? name : '', oneLine(line)])
}

function attemptTable(attempts: readonly Attempt[], now: number, options: TableOptions): string[] {
  const { paint } = options
  const columns: Column<Attempt>[] = [
    { title: 'CLAIM', cell: ({ version }) => String(version), isNumber: true },
    {
      title: 'OUTCOME',
      cell: ({ outcome }) => outcome,
      brush: ({ outcome }) => (outcome === 'completed' ? paint.green : outcome === 'released' ? paint.dim : paint.red),
    },
    { title: 'EXIT', cell: ({ exitCode }) => (exitCode === null ? '' : String(exitCode)), isNumber: true },
    { title: 'TOOK', cell: ({ startedAt, finishedAt }) => roundedDuration(finishedAt - startedAt), isNumber: true },
    { title: 'FINISHED', cell: ({ finishedAt }) => timeWithAge(finishedAt, now), isOptional: true },
    { title: 'WORKER', cell: ({ worker }) => worker ?? '', isOptional: true },
    { title: 'ERROR', cell: ({ error }) => error ?? '' },
  ]
  return table(columns, attempts, options)
}

/** `schedule`: lists, previews, creates, changes and runs schedules. */
import { type Command, Option } from 'commander'
import { scheduleLimits } from '../../../../shared/schedules/limits.ts'
import { SCHEDULE_STATES } from '../../../../shared/schedules/schedule.ts'
import type { Cli } from '../../cli.ts'
import { usageError } from '../../exit-codes.ts'
import { instant, positive } from '../../input/option-values.ts'
import { addChanges } from './change-commands.ts'
import type { BackfillOptions, FollowOptions } from './schedule-backfill.ts'
import { addRuleOptions } from './schedule-options.ts'
import type { ListOptions, PreviewOptions } from './schedule-read.ts'

const NAME = 'name of the schedule'

export function addSchedule(program: Command, cli: Cli): void {
  const schedule = program
    .command('schedule')
    .description('list, preview, create, change and run schedules')
    .addHelpText(
      'after',
      `
Examples:
  $ queuectl schedule list
  $ queuectl schedule preview --cron "0 3 * * *" --timezone Europe/Berlin -n 10
  $ queuectl schedule create nightly --cron "0 3 * * *" --timezone Europe/Berlin --type report`,
    )
  addReads(schedule, cli)
  addChanges(schedule, cli)
  addBackfill(schedule, cli)
}

function addReads(schedule: Command, cli: Cli): void {
  schedule
    .command('list')
    .alias('ls')
    .description('list schedules with their next run')
    .option('--search <text>', 'only schedules with this text in their name or type')
    .addOption(new Option('--state <state>', 'only schedules in this state').choices(SCHEDULE_STATES))
    .option('--type <name>', 'only schedules of this job type')
    .option('-n, --limit <number>', 'maximum number of schedules', positive, 50)
    .addHelpText(
      'after',
      '\nExamples:\n  $ queuectl schedule list --state paused\n  $ queuectl schedule list --json | jq -r .name',
    )
    .action(async (options: ListOptions) => (await import('./schedule-read.ts')).listSchedules(cli, options))
  schedule
    .command('show')
    .alias('get')
    .description('show the settings, the next 5 and the last 50 ticks of a schedule')
    .argument('<name>', NAME)
    .addHelpText('after', '\nExamples:\n  $ queuectl schedule show nightly')
    .action(async (name: string) => (await import('./schedule-read.ts')).showSchedule(cli, name))
  schedule
    .command('explain')
    .alias('why')
    .description('show why a schedule does not run, or when it does')
    .argument('<name>', NAME)
    .addHelpText('after', '\nExamples:\n  $ queuectl schedule explain nightly')
    .action(async (name: string) => (await import('./schedule-read.ts')).explainSchedule(cli, name))
  addPreview(schedule, cli)
}

function addPreview(schedule: Command, cli: Cli): void {
  const preview = schedule
    .command('preview')
    .description('show the next ticks of a schedule, or of a rule that is not stored; names changes of the clocks')
    .argument('[name]', 'name of a stored schedule; with a rule: the name that the spread depends on')
  addRuleOptions(preview)
    .option('-n, --limit <number>', 'number of ticks', previewCount, 5)
    .option('--after <time>', 'the ticks after this time (default: now)', instant)
    .addHelpText(
      'after',
      `
A rule needs no queue. With --json each tick is one line, with its instants in milliseconds UTC.

Examples:
  $ queuectl schedule preview nightly
  $ queuectl schedule preview --cron "0 3 * * *" --timezone Europe/Berlin -n 10
  $ queuectl schedule preview --cron "30 2 * * *" --timezone Europe/Berlin --after 2026-03-27
  $ queuectl schedule preview --every 45m --spread 50%`,
    )
    .action(async (name: string | undefined, options: PreviewOptions) =>
      (await import('./schedule-read.ts')).previewSchedule(cli, name, options),
    )
}

function previewCount(text: string): number {
  const number = positive(text)
  if (number > scheduleLimits.preview) throw usageError(`--limit is at most ${scheduleLimits.preview} for a preview.`)
  return number
}

function addBackfill(schedule: Command, cli: Cli): void {
  schedule
    .command('backfill')
    .description('enqueue the ticks of a past range, oldest first; ticks that have a job already are left out')
    .argument('<name>', NAME)
    .option('--from <time>', 'start of the range: 2026-01-31T08:00, or seconds since 1970', instant)
    .option('--to <time>', 'end of the range (default: now)', instant)
    .option('--again', 'also ticks that have a job already')
    .option('--wait', 'wait until it is done; Ctrl-C stops it')
    .option('--status <id>', 'show the progress of a backfill')
    .option('--cancel <id>', 'stop a backfill; jobs that are enqueued already remain')
    .option('--undo <id>', 'cancel the waiting jobs of a backfill, within a minute after its end')
    .addHelpText(
      'after',
      `
Examples:
  $ queuectl schedule backfill nightly --from 2026-01-01 --to 2026-02-01 --wait
  $ queuectl schedule backfill nightly --status 019a8c5e-30c1-7f3a-9d0e-8a4f4f0e7f11`,
    )
    .action(async (name: string, options: BackfillOptions & FollowOptions) => {
      const { backfillSchedule, changeBackfill } = await import('./schedule-backfill.ts')
      const { status, cancel, undo } = options
      const followed = [status, cancel, undo].filter((id) => id !== undefined).length
      if (followed > 1 || (followed > 0 && options.from !== undefined)) {
        throw usageError('Give one of --from, --status, --cancel and --undo.')
      }
      await (followed > 0 ? changeBackfill(cli, options) : backfillSchedule(cli, name, options))
    })
}

/** Commands of `queuectl schedule` that change schedules. */
import type { Command } from 'commander'
import type { Cli } from '../../cli.ts'
import { addSettingOptions, CLEARABLE_NAMES, type SettingOptions } from './schedule-options.ts'

const NAME = 'name of the schedule'

const changes = () => import('./schedule-change.ts')

export function addChanges(schedule: Command, cli: Cli): void {
  addCreate(schedule, cli)
  addSet(schedule, cli)
  schedule
    .command('clear')
    .description('remove overrides of a declared schedule, so that the declared settings apply again')
    .argument('<name>', NAME)
    .argument('<settings...>', CLEARABLE_NAMES.join(', '))
    .addHelpText('after', '\nExamples:\n  $ queuectl schedule clear nightly cron timezone')
    .action(async (name: string, settings: string[]) => (await changes()).clearSchedule(cli, name, settings))
  schedule
    .command('pause')
    .description('stop the ticks of a schedule; its jobs go on')
    .argument('<name>', NAME)
    .option('--note <text>', 'the reason, shown beside the schedule')
    .addHelpText('after', '\nExamples:\n  $ queuectl schedule pause nightly --note "until the warehouse is back"')
    .action(async (name: string, { note }: { readonly note?: string }) =>
      (await changes()).pauseSchedule(cli, name, note),
    )
  schedule
    .command('resume')
    .description('continue with the next tick; ticks during the pause are not caught up')
    .argument('<name>', NAME)
    .addHelpText('after', '\nExamples:\n  $ queuectl schedule resume nightly')
    .action(async (name: string) => (await changes()).resumeSchedule(cli, name))
  schedule
    .command('run')
    .description('enqueue a job of a schedule now, also while it is paused; its ticks do not change')
    .argument('<name>', NAME)
    .addHelpText('after', '\nExamples:\n  $ queuectl schedule run nightly')
    .action(async (name: string) => (await changes()).runSchedule(cli, name))
  schedule
    .command('delete')
    .alias('rm')
    .description('delete a schedule and its history; its jobs remain')
    .argument('<name>', NAME)
    .addHelpText('after', '\nExamples:\n  $ queuectl schedule delete nightly')
    .action(async (name: string) => (await changes()).deleteSchedule(cli, name))
}

function addCreate(schedule: Command, cli: Cli): void {
  const create = schedule
    .command('create')
    .description('create a schedule')
    .argument('<name>', 'name, unique in the queue')
  addSettingOptions(create)
    .addHelpText(
      'after',
      `
Catch-up (default one): one job for all missed ticks, none, or all of them. Overlap (default skip): skip the tick, queueOne or
queueAll behind the unfinished job, cancel that job, or allow both.

Examples:
  $ queuectl schedule create nightly --cron "0 3 * * *" --timezone Europe/Berlin --type report --payload '{"format":"pdf"}'
  $ queuectl schedule create sync --every 45m --spread 50% --type sync --overlap queueOne
  $ queuectl schedule create backup --cron @daily --command "pg_dump app > /backups/app.sql"`,
    )
    .action(async (name: string, options: SettingOptions) => (await changes()).createSchedule(cli, name, options))
}

function addSet(schedule: Command, cli: Cli): void {
  const set = schedule.command('set').description('override settings of a schedule').argument('<name>', NAME)
  addSettingOptions(set)
    .addHelpText(
      'after',
      `
The value none removes a limit. Settings declared in code stay stored: queuectl schedule clear returns to them.

Examples:
  $ queuectl schedule set nightly --cron "0 4 * * *"
  $ queuectl schedule set nightly --max-runs none --overlap queueOne`,
    )
    .action(async (name: string, options: SettingOptions) => (await changes()).setSchedule(cli, name, options))
}

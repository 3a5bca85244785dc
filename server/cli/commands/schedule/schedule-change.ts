/** `schedule create`, `set`, `clear`, `pause`, `resume`, `run` and `delete`. */
import type { ScheduleCreateInput } from '../../../../shared/contracts/schedules.ts'
import type { ScheduleRow } from '../../../../shared/schedules/schedule.ts'
import type { Cli } from '../../cli.ts'
import { EXIT, usageError } from '../../exit-codes.ts'
import { withSuggestion } from './find-schedule.ts'
import { zonedWithAge } from './schedule-format.ts'
import { hasSettings, type SettingOptions, settingNamed, settingsOf } from './schedule-options.ts'

export async function createSchedule(cli: Cli, name: string, options: SettingOptions): Promise<void> {
  const { type, payload = null, ...settings } = await settingsOf(options)
  if (type === undefined) throw usageError('A schedule needs the type of its jobs: --type <name>, or --command <line>.')
  if (settings.cron === undefined && settings.every === undefined) {
    throw usageError('A schedule needs a rule: --cron "0 3 * * *", or --every 45m.')
  }
  const input: ScheduleCreateInput = { ...settings, name, type, payload }
  await cli.withQueue(
    async (queue) => {
      print(cli, await queue.createSchedule({ ...input, actor: cli.actor }), 'created')
    },
    { mayCreate: true },
  )
}

export async function setSchedule(cli: Cli, name: string, options: SettingOptions): Promise<void> {
  const set = await settingsOf(options)
  if (!hasSettings(set)) throw usageError('Nothing to set; give at least one option, such as --cron "0 4 * * *".')
  await change(cli, name, 'changed', (queue) => queue.updateSchedule({ name, set, actor: cli.actor }))
}

export async function clearSchedule(cli: Cli, name: string, given: readonly string[]): Promise<void> {
  const clear = given.map(settingNamed)
  await change(cli, name, 'changed', (queue) => queue.updateSchedule({ name, clear, actor: cli.actor }))
}

export async function pauseSchedule(cli: Cli, name: string, note: string | undefined): Promise<void> {
  await change(cli, name, 'paused; its jobs go on', (queue) => queue.pauseSchedule({ name, note, actor: cli.actor }))
}

export async function resumeSchedule(cli: Cli, name: string): Promise<void> {
  await change(cli, name, 'resumed', (queue) => queue.resumeSchedule({ name, actor: cli.actor }))
}

type Change = Parameters<Parameters<Cli['withQueue']>[0]>[0]

async function change(
  cli: Cli,
  name: string,
  done: string,
  call: (queue: Change) => Promise<ScheduleRow>,
): Promise<void> {
  await cli.withQueue(async (queue) => {
    print(cli, await withSuggestion(queue, name, () => call(queue)), done)
  })
}

function print(cli: Cli, row: ScheduleRow, done: string): void {
  if (cli.isJson) cli.printJson(row)
  else cli.print(`${row.name}  ${row.text}`)
  const next =
    row.nextRunAt === null
      ? 'It does not run.'
      : `Next run: ${zonedWithAge(row.effective.timezone, row.nextRunAt, cli.now())}.`
  cli.info(`Schedule ${row.name} ${done}. ${row.state === 'paused' ? 'Run it once with queuectl schedule run.' : next}`)
}

export async function runSchedule(cli: Cli, name: string): Promise<void> {
  await cli.withQueue(async (queue) => {
    const run = await withSuggestion(queue, name, () => queue.runSchedule({ name, actor: cli.actor }))
    if (cli.isJson) cli.printJson(run)
    else if (run.jobId !== null) cli.print(run.jobId)
    if (run.outcome === 'skipped') {
      cli.info(`Not enqueued: the job ${run.jobId} of an earlier tick is unfinished, and the overlap policy is skip.`)
      cli.exitCode = EXIT.conflict
    } else {
      cli.info(
        run.outcome === 'rejected'
          ? 'The job could not be enqueued; queuectl schedule show has the reason.'
          : 'Enqueued.',
      )
      if (run.outcome === 'rejected') cli.exitCode = EXIT.failed
    }
  })
}

export async function deleteSchedule(cli: Cli, name: string): Promise<void> {
  await cli.withQueue(async (queue) => {
    const { owner } = await withSuggestion(queue, name, () => queue.schedule({ name }))
    await queue.deleteSchedule({ name, actor: cli.actor })
    cli.isJson ? cli.printJson({ name, deleted: true }) : cli.print(name)
    const again = owner === null ? '' : ` It appears again when ${owner} declares it.`
    cli.info(`Schedule ${name} deleted; its jobs remain.${again}`)
  })
}

/** `schedule list`, `show`, `preview` and `explain`. */
import type { SchedulesInput } from '../../../../shared/contracts/schedules.ts'
import { limits } from '../../../../shared/limits.ts'
import type { SchedulePreview, ScheduleRow } from '../../../../shared/schedules/schedule.ts'
import type { Cli } from '../../cli.ts'
import { usageError } from '../../exit-codes.ts'
import { count, oneLine } from '../../output/format.ts'
import { pairs } from '../../output/table.ts'
import { withSuggestion } from './find-schedule.ts'
import { historyTable, nextTable, scheduleFacts, scheduleTable, zonedTime } from './schedule-format.ts'
import { hasSettings, type RuleOptions, ruleOf } from './schedule-options.ts'

export interface ListOptions extends Pick<SchedulesInput, 'search' | 'state' | 'type'> {
  readonly limit: number
}

export async function listSchedules(cli: Cli, { limit, ...filter }: ListOptions): Promise<void> {
  await cli.withQueue(async (queue) => {
    const rows: ScheduleRow[] = []
    let cursor: string | undefined
    do {
      const page = await queue.schedules({ ...filter, limit: Math.min(limits.list, limit - rows.length), cursor })
      if (cli.isJson) for (const row of page.schedules) cli.printJson(row)
      rows.push(...page.schedules)
      cursor = page.nextCursor ?? undefined
    } while (cursor !== undefined && rows.length < limit)
    if (cli.isJson) return
    if (rows.length > 0) cli.print(...scheduleTable(rows, cli.now(), await cli.tableOptions()))
    cli.info(rows.length === 0 ? 'No schedules.' : summary(rows, cursor !== undefined))
  })
}

function summary(rows: readonly ScheduleRow[], isCut: boolean): string {
  const other = (['paused', 'orphaned', 'ended'] as const)
    .map((state) => [state, rows.filter((row) => row.state === state).length] as const)
    .filter(([, number]) => number > 0)
    .map(([state, number]) => `${number} ${state}`)
  const more = isCut ? '; there are more, raise --limit to see them' : ''
  return `${count(rows.length, 'schedule')}${other.length > 0 ? `, ${other.join(', ')}` : ''}${more}.`
}

export async function showSchedule(cli: Cli, name: string): Promise<void> {
  await cli.withQueue(async (queue) => {
    const row = await withSuggestion(queue, name, () => queue.schedule({ name }))
    if (cli.isJson) {
      cli.printJson(row)
      return
    }
    const options = await cli.tableOptions()
    const { timezone } = row.effective
    cli.print(...pairs(scheduleFacts(row, cli.now(), options.paint), options))
    if (row.next.length > 0) cli.print('', ...nextTable(row.next, timezone, cli.now(), options))
    if (row.ticks.length > 0) cli.print('', ...historyTable(row.ticks, timezone, cli.now(), options))
  })
}

export async function explainSchedule(cli: Cli, name: string): Promise<void> {
  await cli.withQueue(async (queue) => {
    const explanation = await withSuggestion(queue, name, () => queue.explainSchedule({ name }))
    if (cli.isJson) {
      cli.printJson(explanation)
      return
    }
    const { effective } = await queue.schedule({ name })
    const { at } = explanation
    cli.print(`${oneLine(explanation.text)}${at === null ? '' : ` That is ${zonedTime(effective.timezone, at)}.`}`)
  })
}

export interface PreviewOptions extends RuleOptions {
  readonly after?: number
  readonly limit: number
}

export async function previewSchedule(cli: Cli, name: string | undefined, options: PreviewOptions): Promise<void> {
  const rule = ruleOf(options)
  const hasRule = rule.cron !== undefined || rule.every !== undefined
  if (!hasRule && hasSettings(rule)) throw usageError('These options need --cron or --every.')
  if (hasRule) {
    // Nothing is read from the queue, so none is needed.
    const { parseInput } = await import('../../../../shared/verbs/parse-input.ts')
    const { scheduleSettingsSchema } = await import('../../../../shared/contracts/schedules.ts')
    const { describeRule, previewTicks } = await import('../../../../shared/schedules/describe.ts')
    const { effectiveSchedule } = await import('../../../../shared/schedules/settings.ts')
    const effective = effectiveSchedule(null, parseInput(scheduleSettingsSchema, rule))
    const ticks = previewTicks(effective, name ?? '', options.after ?? cli.now(), options.limit)
    await print(cli, { text: describeRule(effective), ticks }, effective.timezone)
    return
  }
  if (name === undefined) throw usageError('Give the name of a schedule, or --cron or --every.')
  await cli.withQueue(async (queue) => {
    const row = await withSuggestion(queue, name, () => queue.schedule({ name }))
    const preview = await queue.previewSchedule({ name, after: options.after, count: options.limit })
    await print(cli, preview, row.effective.timezone)
  })
}

async function print(cli: Cli, preview: SchedulePreview, zone: string): Promise<void> {
  if (cli.isJson) {
    for (const tick of preview.ticks) cli.printJson({ ...tick, time: zonedTime(zone, tick.at) })
  } else {
    cli.print(`${preview.text}:`)
    if (preview.ticks.length > 0) cli.print('', ...nextTable(preview.ticks, zone, cli.now(), await cli.tableOptions()))
  }
  if (preview.ticks.length === 0) cli.info('This schedule has no further ticks.')
}

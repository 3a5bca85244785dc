/** `groups list`, `groups keys` and `groups show`. */
import type { KEY_SORTS } from '../../../../shared/groups/choices.ts'
import type { GroupKeyRow, GroupRow } from '../../../../shared/groups/records.ts'
import type { Queue } from '../../../../shared/queue.ts'
import type { Cli } from '../../cli.ts'
import { count, grouped, oneLine } from '../../output/format.ts'
import { type Column, pairs, type TableOptions, table } from '../../output/table.ts'
import { age, timeWithAge } from '../../output/times.ts'
import { groupPages, requireGroup } from './find-group.ts'
import { concurrencyText, keyState, nextText, onDeadText, rateText, stateBrush } from './rules-text.ts'

export interface ListOptions {
  readonly search?: string | undefined
  readonly limit: number
}

export interface KeysOptions extends ListOptions {
  readonly sort: (typeof KEY_SORTS)[number]
}

export async function listGroups(cli: Cli, { search, limit }: ListOptions): Promise<void> {
  await cli.withQueue(async (queue) => {
    const groups: GroupRow[] = []
    for await (const group of groupPages(queue, search, limit)) groups.push(group)
    if (cli.isJson) for (const group of groups) cli.printJson(group)
    else if (groups.length > 0)
      cli.print(...table(groupColumns(await cli.tableOptions()), groups, await cli.tableOptions()))
    if (groups.length > 0) return
    cli.info(
      search === undefined
        ? 'No groups yet; a type with a group, or the first job with a key, creates one.'
        : 'No groups match.',
    )
  })
}

function groupColumns({ paint }: TableOptions): Column<GroupRow>[] {
  return [
    { title: 'GROUP', cell: ({ name }) => name },
    {
      title: 'STATE',
      cell: ({ effective }) => (effective.paused ? 'paused' : 'running'),
      brush: ({ effective }) => (effective.paused ? paint.yellow : paint.green),
    },
    { title: 'KEYS', cell: ({ keys }) => grouped(keys), isNumber: true },
    { title: 'PENDING', cell: ({ pending }) => grouped(pending), isNumber: true },
    { title: 'PROCESSING', cell: ({ processing }) => grouped(processing), isNumber: true },
    { title: 'BLOCKED', cell: ({ blocked }) => grouped(blocked), isNumber: true },
    { title: 'CONCURRENCY', cell: ({ effective }) => concurrencyText(effective), isNumber: true },
    { title: 'RATE', cell: ({ effective }) => rateText(effective) },
    { title: 'ORDER', cell: ({ effective }) => effective.order, isOptional: true },
    { title: 'WHEN FULL', cell: ({ effective }) => effective.whenFull, isOptional: true },
    { title: 'ON DEAD', cell: ({ effective }) => onDeadText(effective), isOptional: true },
    { title: 'TYPES', cell: ({ types }) => types.join(', '), isOptional: true },
  ]
}

export async function listKeys(cli: Cli, name: string, { search, sort, limit }: KeysOptions): Promise<void> {
  await cli.withQueue(async (queue) => {
    await requireGroup(queue, name)
    const { keys, isMore } = await readKeys(queue, { name, search, sort, limit })
    if (cli.isJson) {
      for (const key of keys) cli.printJson(key)
      return
    }
    if (keys.length > 0)
      cli.print(...table(keyColumns(cli.now(), await cli.tableOptions()), keys, await cli.tableOptions()))
    if (keys.length === 0) cli.info(search === undefined ? `No key of ${name} has unfinished jobs.` : 'No keys match.')
    else cli.info(`${count(keys.length, 'key')}${isMore ? '; raise --limit to see more' : ''}.`)
  })
}

async function readKeys(queue: Queue, { limit, ...which }: KeysOptions & { readonly name: string }) {
  const keys: GroupKeyRow[] = []
  let cursor: string | undefined
  do {
    const page = await queue.groupKeys({ ...which, cursor, limit: Math.min(200, limit - keys.length) })
    keys.push(...page.keys)
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined && keys.length < limit)
  return { keys, isMore: cursor !== undefined }
}

function keyColumns(now: number, { paint }: TableOptions): Column<GroupKeyRow>[] {
  return [
    { title: 'KEY', cell: ({ key }) => key },
    { title: 'STATE', cell: (row) => keyState(row, now), brush: (row) => stateBrush(paint, keyState(row, now)) },
    { title: 'PENDING', cell: ({ pending }) => grouped(pending), isNumber: true },
    { title: 'PROCESSING', cell: ({ processing }) => grouped(processing), isNumber: true },
    { title: 'BLOCKED', cell: ({ blocked }) => grouped(blocked), isNumber: true },
    {
      title: 'OLDEST',
      cell: ({ oldestBlockedAt }) => (oldestBlockedAt === null ? '' : age(oldestBlockedAt, now)),
      isOptional: true,
    },
    { title: 'NEXT', cell: (row) => nextText(row, now), isOptional: true },
    { title: 'CONCURRENCY', cell: ({ effective }) => concurrencyText(effective), isNumber: true, isOptional: true },
    { title: 'RATE', cell: ({ effective }) => rateText(effective), isOptional: true },
  ]
}

export async function showKey(cli: Cli, which: { readonly name: string; readonly key: string }): Promise<void> {
  await cli.withQueue(async (queue) => {
    await requireGroup(queue, which.name)
    const row = await queue.groupKey(which)
    if (cli.isJson) cli.printJson(row)
    else cli.print(...pairs(facts(row, cli.now(), await cli.tableOptions()), await cli.tableOptions()))
  })
}

function facts(row: GroupKeyRow, now: number, { paint }: TableOptions): readonly (readonly [string, string])[] {
  const { effective, override, stopped, busyUntil, oldestBlockedAt, blocked } = row
  const state = keyState(row, now)
  const own = (rule: keyof typeof override) => (override[rule] === undefined ? '' : ' (of this key)')
  const when = (name: string, at: number | null) => (at === null ? [] : [[name, timeWithAge(at, now)] as const])
  return [
    ['group', row.name],
    ['key', oneLine(row.key)],
    ['state', `${stateBrush(paint, state)(state)}${own('paused')}`],
    ['pending', grouped(row.pending)],
    ['processing', grouped(row.processing)],
    ['blocked', grouped(blocked)],
    ...when('oldest', oldestBlockedAt),
    ...(blocked > 0 ? [['next', nextText(row, now)] as const] : []),
    ...(state === 'busy' ? when('busy until', busyUntil) : []),
    ...(stopped === null ? [] : [['stopped by', stopped.jobId ?? 'a job that was removed'] as const]),
    ...when('stopped', stopped?.at ?? null),
    ['concurrency', `${concurrencyText(effective)}${own('concurrency')}`],
    ['rate', `${rateText(effective)}${own('rate')}`],
    ['window', grouped(effective.window)],
    ['order', effective.order],
    ['when full', effective.whenFull],
    ...(effective.order === 'strict' ? [['on dead', effective.onDead] as const] : []),
  ]
}

/** `groups set` and `groups clear`. */
import { KEY_RULES } from '../../../../shared/groups/choices.ts'
import type { Queue } from '../../../../shared/queue.ts'
import type { Cli } from '../../cli.ts'
import { usageError } from '../../exit-codes.ts'
import { advice, findGroup, requireGroup } from './find-group.ts'
import { optionName, type RuleOptions, ruleNames, rulesOf } from './rule-options.ts'
import { concurrencyText, onDeadText, rateText } from './rules-text.ts'

interface Target {
  readonly name: string
  readonly key: string | undefined
}

/** A group may get rules before its first job, so an unknown name is only a warning. */
export async function setRules(cli: Cli, target: Target, options: RuleOptions): Promise<void> {
  const set = rulesOf(options)
  const { resume = false } = options
  if (Object.keys(set).length === 0 && !resume) {
    throw usageError('Nothing to set; give at least one rule, such as --concurrency 2. See queuectl help groups.')
  }
  requireKeyRules(target, Object.keys(set))
  await cli.withQueue(async (queue) => {
    const group = await findGroup(queue, target.name)
    const similar = group ? '' : await advice(queue, target.name)
    // An override ends a pause that code declares; without one the pause of the group applies to the key again.
    const isDeclared = target.key === undefined && group?.declared.paused === true
    const ended = resume ? (isDeclared ? { set: { ...set, paused: false } } : { clear: ['paused' as const] }) : {}
    const isStopped = resume && target.key !== undefined
    await queue.updateGroup({ ...withKey(target), set, ...ended, ...(isStopped && { resume: true }), actor: cli.actor })
    await report(cli, queue, target)
    if ((set.concurrency ?? 1) > 1 && group?.effective.order === 'strict') {
      cli.info(`The concurrency of group ${target.name} stays 1: order strict runs the jobs of a key one by one.`)
    }
    if (set.onDead !== undefined && (set.order ?? group?.effective.order) !== 'strict') {
      cli.info(
        'On dead has no effect until the order is strict: in a fair group the other jobs of a key always continue.',
      )
    }
    if (!group) cli.info(`No type declares group ${target.name}, and it has no jobs yet; ${similar}`)
  })
}

export async function clearRules(cli: Cli, target: Target, words: readonly string[]): Promise<void> {
  const clear = ruleNames(words)
  requireKeyRules(target, clear)
  await cli.withQueue(async (queue) => {
    await requireGroup(queue, target.name)
    await queue.updateGroup({ ...withKey(target), clear, actor: cli.actor })
    await report(cli, queue, target)
  })
}

function withKey({ name, key }: Target) {
  return key === undefined ? { name } : { name, key }
}

function requireKeyRules({ key }: Target, rules: readonly string[]): void {
  if (key === undefined) return
  const other = rules.find((rule) => !KEY_RULES.some((known) => known === rule))
  if (other === undefined) return
  throw usageError(
    `${optionName(other)} holds for the whole group; one key may override only ${KEY_RULES.map(optionName).join(', ')}.`,
  )
}

async function report(cli: Cli, queue: Queue, { name, key }: Target): Promise<void> {
  const row = key === undefined ? await findGroup(queue, name) : await queue.groupKey({ name, key })
  if (cli.isJson) {
    cli.printJson(row)
    return
  }
  if (!row) {
    cli.info(`Group ${name} has no overrides left.`)
    return
  }
  const { effective } = row
  const limits = `concurrency ${concurrencyText(effective)}, rate ${rateText(effective)}, window ${effective.window}`
  const paused = effective.paused ? 'paused, ' : ''
  const policies = `order ${effective.order}, when full ${effective.whenFull}, on dead ${onDeadText(effective)}`
  const of = key === undefined ? `Group ${name}` : `${key} of group ${name}`
  cli.info(`${of}: ${paused}${limits}, ${policies}.`)
}

/** Actions of `config get`, `set`, `unset` and `list`. */
import { parseDuration } from '../../../../shared/duration.ts'
import { nearest } from '../../../../shared/json/nearest.ts'
import {
  COMMAND_DEFAULTS,
  type Defaults,
  type QueueSettings,
  queueSettingsSchema,
} from '../../../../shared/settings/settings.ts'
import { hideSecrets } from '../../../../shared/settings/webhooks.ts'
import type { Cli } from '../../cli.ts'
import { CliError, EXIT, usageError } from '../../exit-codes.ts'
import type { Where } from '../../input/where.ts'
import { type Column, table } from '../../output/table.ts'
import { roundedDuration } from '../../output/times.ts'

type Key = keyof QueueSettings

interface Setting {
  readonly key: Key
  /** undefined: unknown to this process. */
  readonly value: unknown
  readonly source: 'set' | 'default' | 'environment' | "the server's environment"
  readonly meaning: string
}

const MEANINGS: Readonly<Record<Key, string>> = {
  max_retries: 'commands: retries, unless the job sets its own',
  backoff_base: 'commands: the n-th retry waits this number to the power of n, in seconds',
  paused: 'true: no jobs are started',
  rate: 'maximum claims per second, over all types',
  burst: 'burst size of the rate limit',
  maxAttempts: 'attempts per job, unless the job or its type sets its own',
  leaseMs: 'default lease of a claim',
  backoff: 'delay between attempts, unless the job or its type sets its own',
  retentionMs: 'how long finished jobs are kept',
  crashBudget: 'a job fails after crashing its worker this often (at least twice)',
  webhookUrl: 'URL that receives every permanent failure',
  webhookUrls: 'URLs by type prefix: {"mail.":"https://…"}; null turns it off',
  webhookSecret: 'signing key of webhook deliveries; write-only',
}

const SECRET = 'webhookSecret'
const STDIN = '-'

const KEYS = Object.keys(MEANINGS).filter(isKey)

function isKey(name: string): name is Key {
  return name in queueSettingsSchema.shape
}

export async function listSettings(cli: Cli): Promise<void> {
  await cli.withQueue(async (queue, where) => {
    const settings = await queue.settings()
    const rows = KEYS.map((key) => describe(key, settings, where))
    if (cli.isJson) {
      for (const { meaning: _, ...row } of rows) cli.printJson({ ...row, value: row.value ?? null })
      return
    }
    const options = await cli.tableOptions()
    const columns: Column<Setting>[] = [
      { title: 'SETTING', cell: ({ key }) => key },
      { title: 'VALUE', cell: shown, brush: ({ source }) => (source === 'set' ? options.paint.bold : (text) => text) },
      { title: 'FROM', cell: ({ source }) => source },
      { title: 'MEANING', cell: ({ meaning }) => meaning },
    ]
    cli.print(...table(columns, rows, options))
  })
}

export async function getSetting(cli: Cli, name: string): Promise<void> {
  const key = readKey(name)
  await cli.withQueue(async (queue, where) => {
    const { value, source } = describe(key, await queue.settings(), where)
    if (cli.isJson) cli.printJson({ key, value: value ?? null, source })
    else if (value !== undefined) cli.print(JSON.stringify(value))
    if (source !== 'set')
      cli.info(`Not set; ${value === undefined ? `${source} decides` : `value from the ${source}`}.`)
  })
}

export async function setSetting(cli: Cli, name: string, given: string): Promise<void> {
  const key = readKey(name)
  const isSecret = key === SECRET
  const text = isSecret && given === STDIN ? await readAll(cli) : given
  const parsed = queueSettingsSchema.safeParse({ [key]: readValue(key, text) })
  if (!parsed.success) {
    const shownText = isSecret ? 'that' : text
    throw usageError(`${key} cannot be ${shownText}: ${parsed.error.issues[0]?.message ?? 'invalid value'}.`)
  }
  await cli.withQueue(async (queue) => {
    await queue.updateSettings({ set: parsed.data, actor: cli.actor })
    const value = hideSecrets(parsed.data)[key]
    cli.isJson ? cli.printJson({ key, value, source: 'set' }) : cli.print(JSON.stringify(value))
    cli.info(`${key} is set.`)
  })
}

export async function unsetSetting(cli: Cli, name: string): Promise<void> {
  const key = readKey(name)
  await cli.withQueue(async (queue, where) => {
    await queue.updateSettings({ clear: [key], actor: cli.actor })
    const { value, source } = describe(key, await queue.settings(), where)
    if (cli.isJson) cli.printJson({ key, value: value ?? null, source })
    else if (value !== undefined) cli.print(JSON.stringify(value))
    cli.info(`${key} removed.`)
  })
}

async function readAll(cli: Cli): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of cli.io.stdin) {
    text += typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true })
  }
  return text.trim()
}

/** Ignores case, dashes and underscores; the suffix Ms may be left out. */
function readKey(name: string): Key {
  const bare = (text: string) => text.replace(/[-_]/g, '').toLowerCase()
  const key = KEYS.find((one) => bare(one) === bare(name)) ?? KEYS.find((one) => bare(one) === `${bare(name)}ms`)
  if (key !== undefined) return key
  const meant = nearest(name, KEYS, 3)
  const advice = meant ? `did you mean ${meant}?` : 'see queuectl config list.'
  throw new CliError(EXIT.notFound, `There is no setting ${name}; ${advice}`)
}

function readValue(key: Key, text: string): unknown {
  // A secret made of digits is still text.
  if (key === SECRET) return text
  if (key.endsWith('Ms') && !/^\d+$/.test(text)) {
    const ms = parseDuration(text, { plainNumber: 's' })
    if (ms !== null) return ms
  }
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function describe(key: Key, settings: QueueSettings, where: Where): Setting {
  const meaning = MEANINGS[key]
  const value = settings[key]
  if (value !== undefined) return { key, value, source: 'set', meaning }
  if (key === 'max_retries' || key === 'backoff_base') {
    return { key, value: COMMAND_DEFAULTS[key], source: 'default', meaning }
  }
  if (key === 'paused') return { key, value: false, source: 'default', meaning }
  if (key === 'rate' || key === 'burst' || isWebhook(key)) return { key, value: null, source: 'default', meaning }
  if (where.kind === 'server') return { key, value: undefined, source: "the server's environment", meaning }
  return { key, value: fromEnvironment(key, where.config.defaults), source: 'environment', meaning }
}

function isWebhook(key: Key): key is Extract<Key, `webhook${string}`> {
  return key.startsWith('webhook')
}

function fromEnvironment(key: keyof Defaults, defaults: Defaults): unknown {
  return defaults[key]
}

function shown({ key, value }: Setting): string {
  if (value === undefined) return '–'
  if (key.endsWith('Ms') && typeof value === 'number') return `${value} (${roundedDuration(value)})`
  return value === null ? 'none' : JSON.stringify(value)
}

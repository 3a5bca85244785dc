/** The JSON of a job, in our words and in QueueCTL's: made into what the queue is asked for. */
import { commandBackoff } from '../../../shared/backoff.ts'
import { type EnqueueInput, enqueueInput } from '../../../shared/contracts/produce.ts'
import { nearest } from '../../../shared/nearest.ts'
import type { QueueSettings } from '../../../shared/settings.ts'
import { COMMAND_DEFAULTS } from '../../../shared/settings.ts'
import { type Refusal, usage } from '../exit-codes.ts'
import { instantOf, parseDuration, parseInstant } from './times.ts'

export type JobFields = Readonly<Record<string, unknown>>

/** Every name that is understood, and what it means. */
const NAMES: Readonly<Record<string, string>> = {
  type: 'type',
  payload: 'payload',
  command: 'command',
  argv: 'argv',
  priority: 'priority',
  delayMs: 'delayMs',
  delay: 'delay',
  runAt: 'runAt',
  run_at: 'runAt',
  run_after: 'runAt',
  maxAttempts: 'maxAttempts',
  max_attempts: 'maxAttempts',
  maxRetries: 'maxRetries',
  max_retries: 'maxRetries',
  timeoutMs: 'timeoutMs',
  timeout: 'timeout',
  backoff: 'backoff',
  dedupeKey: 'dedupeKey',
  dedupe_key: 'dedupeKey',
  // Ids are the queue's to make; one of the caller's own still stands for one job.
  id: 'dedupeKey',
  dedupeUntil: 'dedupeUntil',
  dedupe_until: 'dedupeUntil',
  expiresAt: 'expiresAt',
  expires_at: 'expiresAt',
  kind: 'kind',
  traceparent: 'traceparent',
  concurrencyKey: 'concurrencyKey',
  concurrency_key: 'concurrencyKey',
}

const SHELL = 'shell'
const FACE = 'cli'

export interface MakeJob {
  /** What the options say. */
  readonly defaults: JobFields
  /** Of the queue, for commands: asked for when the first one comes. */
  readonly settings: () => Promise<QueueSettings>
}

export async function makeJob(given: unknown, { defaults, settings }: MakeJob): Promise<EnqueueInput> {
  const fields = canonical(given)
  const all = withoutRivals({ ...defaults, ...fields }, fields)
  const job = { ...times(all), ...retries(all), ...what(all), face: FACE }
  const parsed = enqueueInput.safeParse(job)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    throw usage(`${issue?.path.join('.') || 'the job'}: ${issue?.message ?? 'cannot be used'}`)
  }
  if (job.kind !== 'command') return parsed.data
  const { max_retries = COMMAND_DEFAULTS.max_retries, backoff_base = COMMAND_DEFAULTS.backoff_base } = await settings()
  return { maxAttempts: max_retries + 1, backoff: commandBackoff(backoff_base), ...parsed.data }
}

function canonical(given: unknown): JobFields {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw usage('a job is a JSON object like {"type":"mail","payload":{}} or {"command":"echo hi"}')
  }
  const fields: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(given)) {
    const meaning = NAMES[name]
    if (meaning === undefined) throw unknownField(name)
    if (meaning in fields) throw usage(`the field ${name} says again what another one says; keep one of them`)
    fields[meaning] = value
  }
  return fields
}

function unknownField(name: string): Refusal {
  const meant = nearest(name, Object.keys(NAMES), 2)
  return usage(`a job has no field ${name}; ${meant ? `did you mean ${meant}?` : 'see queuectl help enqueue'}`)
}

/** Of an option and a field that say the same in two ways, the field holds. */
function withoutRivals(all: JobFields, fields: JobFields): JobFields {
  const kept: Record<string, unknown> = { ...all }
  for (const rivals of [
    ['command', 'argv', 'payload'],
    ['delayMs', 'delay', 'runAt'],
    ['maxAttempts', 'maxRetries'],
    ['timeoutMs', 'timeout'],
  ]) {
    if (rivals.some((name) => name in fields)) for (const name of rivals) if (!(name in fields)) delete kept[name]
    const left = rivals.filter((name) => name in kept)
    if (left.length > 1) throw usage(`give ${left.join(' or ')}, not both`)
  }
  return kept
}

function times({ delayMs, delay, runAt, timeoutMs, timeout, expiresAt }: JobFields): JobFields {
  return {
    ...(delayMs !== undefined && { delayMs }),
    ...(delay !== undefined && { delayMs: readDuration('delay', delay) }),
    ...(runAt !== undefined && { runAt: readInstant('run_after', runAt) }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(timeout !== undefined && { timeoutMs: readDuration('timeout', timeout) }),
    ...(expiresAt !== undefined && { expiresAt: readInstant('expiresAt', expiresAt) }),
  }
}

function readDuration(name: string, value: unknown): number {
  const ms = typeof value === 'number' || typeof value === 'string' ? parseDuration(String(value)) : null
  if (ms === null) throw usage(`${name} must be seconds, or look like "10m"`)
  return ms
}

function readInstant(name: string, value: unknown): number {
  if (typeof value === 'number' && value >= 0) return instantOf(value)
  const at = typeof value === 'string' ? parseInstant(value) : null
  if (at === null) throw usage(`${name} must be seconds since 1970, or look like "2030-01-31T08:00"`)
  return at
}

/** n retries are n + 1 runs. */
function retries({ maxAttempts, maxRetries }: JobFields): JobFields {
  if (maxRetries === undefined) return maxAttempts === undefined ? {} : { maxAttempts }
  if (typeof maxRetries !== 'number' || !Number.isInteger(maxRetries) || maxRetries < 0) {
    throw usage('max_retries must be a whole number, 0 or more')
  }
  return { maxAttempts: maxRetries + 1 }
}

function what(all: JobFields): JobFields & { readonly kind?: unknown } {
  const { command, argv, type, payload, kind, ...rest } = all
  const others = pick(rest, ['priority', 'backoff', 'dedupeKey', 'dedupeUntil', 'traceparent', 'concurrencyKey'])
  if (command === undefined && argv === undefined) {
    if (type === undefined) throw usage('the job has neither a type nor a command; give it one of them')
    return { ...others, type, payload: payload ?? {}, ...(kind !== undefined && { kind }) }
  }
  const isWords = Array.isArray(argv) && argv.length > 0 && argv.every((word) => typeof word === 'string')
  if (argv !== undefined && !isWords) throw usage('argv must be a JSON array of words, like ["ls","-l"]')
  if (argv === undefined && (typeof command !== 'string' || command.trim() === '')) {
    throw usage('command must be a line for the shell, like "echo hi"')
  }
  const line = argv === undefined ? { command } : { argv }
  return { ...others, type: type ?? SHELL, kind: 'command', payload: line }
}

function pick(fields: JobFields, names: readonly string[]): JobFields {
  return Object.fromEntries(names.filter((name) => name in fields).map((name) => [name, fields[name]]))
}

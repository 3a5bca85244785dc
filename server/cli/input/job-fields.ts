/** Converts job JSON (Millrace or QueueCTL field names) into an enqueue request. */

import { type EnqueueInput, enqueueInput } from '../../../shared/contracts/produce.ts'
import { DURATION_RULE, parseDuration } from '../../../shared/duration.ts'
import { nearest } from '../../../shared/json/nearest.ts'
import { commandBackoff } from '../../../shared/settings/backoff.ts'
import type { QueueSettings } from '../../../shared/settings/settings.ts'
import { COMMAND_DEFAULTS } from '../../../shared/settings/settings.ts'
import { type CliError, usageError } from '../exit-codes.ts'
import { instantOf, parseInstant } from './times.ts'

export type JobFields = Readonly<Record<string, unknown>>

/** Accepted field names and their canonical field. */
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
  // The queue assigns ids. An id from the caller becomes the dedupe key, so it still identifies one job.
  id: 'dedupeKey',
  dedupeUntil: 'dedupeUntil',
  dedupe_until: 'dedupeUntil',
  expiresAt: 'expiresAt',
  expires_at: 'expiresAt',
  kind: 'kind',
  traceparent: 'traceparent',
  group: 'group',
}

const SHELL = 'shell'
const SOURCE = 'cli'

export interface MakeJob {
  /** Fields given as command-line options. */
  readonly defaults: JobFields
  /** Settings of the queue, loaded when the first command needs them. */
  readonly settings: () => Promise<QueueSettings>
}

export async function makeJob(given: unknown, { defaults, settings }: MakeJob): Promise<EnqueueInput> {
  const fields = canonical(given)
  const all = withoutConflicts({ ...defaults, ...fields }, fields)
  const job = { ...times(all), ...retries(all), ...work(all), face: SOURCE }
  const parsed = enqueueInput.safeParse(job)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    throw usageError(`${issue?.path.join('.') || 'the job'}: ${issue?.message ?? 'cannot be used'}`)
  }
  if (job.kind !== 'command') return parsed.data
  const { max_retries = COMMAND_DEFAULTS.max_retries, backoff_base = COMMAND_DEFAULTS.backoff_base } = await settings()
  return { maxAttempts: max_retries + 1, backoff: commandBackoff(backoff_base), ...parsed.data }
}

function canonical(given: unknown): JobFields {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw usageError('a job is a JSON object like {"type":"mail","payload":{}} or {"command":"echo hi"}')
  }
  const fields: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(given)) {
    const meaning = NAMES[name]
    if (meaning === undefined) throw unknownField(name)
    if (meaning in fields) throw usageError(`the field ${name} duplicates another field; keep one of them`)
    fields[meaning] = value
  }
  return fields
}

function unknownField(name: string): CliError {
  const meant = nearest(name, Object.keys(NAMES), 2)
  return usageError(`a job has no field ${name}; ${meant ? `did you mean ${meant}?` : 'see queuectl help enqueue'}`)
}

/** A JSON field replaces an option that sets the same thing in another form. */
function withoutConflicts(all: JobFields, fields: JobFields): JobFields {
  const kept: Record<string, unknown> = { ...all }
  for (const group of [
    ['command', 'argv', 'payload'],
    ['delayMs', 'delay', 'runAt'],
    ['maxAttempts', 'maxRetries'],
    ['timeoutMs', 'timeout'],
  ]) {
    if (group.some((name) => name in fields)) for (const name of group) if (!(name in fields)) delete kept[name]
    const left = group.filter((name) => name in kept)
    if (left.length > 1) throw usageError(`use either ${left.join(' or ')}, not both`)
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
  const ms =
    typeof value === 'number' || typeof value === 'string' ? parseDuration(String(value), { plainNumber: 's' }) : null
  if (ms === null) throw usageError(`${name} ${DURATION_RULE}, or be a number of seconds`)
  return ms
}

function readInstant(name: string, value: unknown): number {
  if (typeof value === 'number' && value >= 0) return instantOf(value)
  const at = typeof value === 'string' ? parseInstant(value) : null
  if (at === null) throw usageError(`${name} must be seconds since 1970, or look like "2030-01-31T08:00"`)
  return at
}

/** n retries are n + 1 attempts. */
function retries({ maxAttempts, maxRetries }: JobFields): JobFields {
  if (maxRetries === undefined) return maxAttempts === undefined ? {} : { maxAttempts }
  if (typeof maxRetries !== 'number' || !Number.isInteger(maxRetries) || maxRetries < 0) {
    throw usageError('max_retries must be a whole number, 0 or more')
  }
  return { maxAttempts: maxRetries + 1 }
}

function work(all: JobFields): JobFields & { readonly kind?: unknown } {
  const { command, argv, type, payload, kind, ...rest } = all
  const others = pick(rest, ['priority', 'backoff', 'dedupeKey', 'dedupeUntil', 'traceparent', 'group'])
  if (command === undefined && argv === undefined) {
    if (type === undefined) throw usageError('the job has neither a type nor a command; add one of them')
    return { ...others, type, payload: payload ?? {}, ...(kind !== undefined && { kind }) }
  }
  const isArgv = Array.isArray(argv) && argv.length > 0 && argv.every((word) => typeof word === 'string')
  if (argv !== undefined && !isArgv) throw usageError('argv must be a JSON array of strings, like ["ls","-l"]')
  if (argv === undefined && (typeof command !== 'string' || command.trim() === '')) {
    throw usageError('command must be a shell command line, like "echo hi"')
  }
  const line = argv === undefined ? { command } : { argv }
  return { ...others, type: type ?? SHELL, kind: 'command', payload: line }
}

function pick(fields: JobFields, names: readonly string[]): JobFields {
  return Object.fromEntries(names.filter((name) => name in fields).map((name) => [name, fields[name]]))
}

/** Job options as form input, and parsed for the request. */
import type { EnqueueInput } from '../../../../shared/contracts/produce.ts'
import { DURATION_RULE, parseDuration } from '../../../../shared/duration.ts'
import { limits } from '../../../../shared/limits.ts'

export interface Options {
  readonly priority: string
  readonly when: 'now' | 'delay' | 'at'
  readonly delay: string
  /** Local time in the format of `datetime-local`. */
  readonly at: string
  readonly maxAttempts: string
  readonly timeout: string
  /** Key in the group of the type. */
  readonly group: string
  readonly dedupeKey: string
  readonly dedupeUntil: 'removed' | 'finished'
}

export const NO_OPTIONS: Options = {
  priority: '',
  when: 'now',
  delay: '10m',
  at: '',
  maxAttempts: '',
  timeout: '',
  group: '',
  dedupeKey: '',
  dedupeUntil: 'removed',
}

export type OptionName = 'priority' | 'delayMs' | 'runAt' | 'maxAttempts' | 'timeoutMs' | 'group' | 'dedupeKey'
export type OptionProblems = Partial<Record<OptionName, string>>
export type SentOptions = Omit<EnqueueInput, 'type' | 'payload'>

export function readOptions(options: Options): { readonly sent: SentOptions; readonly problems: OptionProblems } {
  const problems: OptionProblems = {}
  const sent: { -readonly [Key in keyof SentOptions]: SentOptions[Key] } = {}

  function whole(name: 'priority' | 'maxAttempts', text: string, least: number, most: number): void {
    if (text.trim() === '') return
    const number = Number(text)
    if (!Number.isInteger(number)) problems[name] = 'must be a whole number'
    else if (number < least || number > most) problems[name] = `must be from ${least} to ${most}`
    else sent[name] = number
  }

  function duration(name: 'delayMs' | 'timeoutMs', text: string, least: number, most: number): void {
    const ms = parseDuration(text, { plainNumber: 's' })
    if (ms === null) problems[name] = DURATION_RULE
    else if (ms < least) problems[name] = 'is too short'
    else if (ms > most) problems[name] = 'is too long'
    else sent[name] = ms
  }

  whole('priority', options.priority, -limits.priority, limits.priority)
  whole('maxAttempts', options.maxAttempts, 1, limits.attempts)
  if (options.timeout.trim() !== '') {
    duration('timeoutMs', options.timeout, limits.timeoutMs.min, limits.timeoutMs.max)
  }
  if (options.when === 'delay') duration('delayMs', options.delay, 0, limits.delayMs)
  if (options.when === 'at') {
    const at = Date.parse(options.at)
    if (Number.isNaN(at)) problems.runAt = 'must be a date and a time'
    else sent.runAt = at
  }
  if (options.group !== '') {
    if (options.group.length > limits.keyLength) problems.group = `must have at most ${limits.keyLength} characters`
    sent.group = options.group
  }
  if (options.dedupeKey !== '') {
    if (options.dedupeKey.length > limits.keyLength)
      problems.dedupeKey = `must have at most ${limits.keyLength} characters`
    sent.dedupeKey = options.dedupeKey
    if (options.dedupeUntil !== 'removed') sent.dedupeUntil = options.dedupeUntil
  }
  return { sent, problems }
}

/** Parsers for option values; each throws with the expected form. */
import { InvalidArgumentError } from 'commander'
import { DURATION_RULE, parseDuration } from '../../../shared/duration.ts'
import { QueueError } from '../../../shared/errors.ts'
import { requireExactNumbers } from '../../../shared/json/exact-numbers.ts'
import { parseInstant } from './times.ts'

export function whole(text: string): number {
  if (!/^-?\d{1,15}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.')
  return Number(text)
}

export function positive(text: string): number {
  const number = whole(text)
  if (number < 1) throw new InvalidArgumentError('It must be 1 or more.')
  return number
}

export function duration(text: string): number {
  const ms = parseDuration(text, { plainNumber: 's' })
  if (ms === null) throw new InvalidArgumentError(`It ${DURATION_RULE}.`)
  return ms
}

export function instant(text: string): number {
  const at = parseInstant(text)
  if (at === null) throw new InvalidArgumentError('It must look like 2030-01-31T08:00, or seconds since 1970.')
  return at
}

export function json(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    requireExactNumbers(text)
    return value
  } catch (error) {
    if (error instanceof QueueError) throw new InvalidArgumentError(error.message)
    throw new InvalidArgumentError(`It is not JSON: ${error instanceof Error ? error.message : String(error)}.`)
  }
}

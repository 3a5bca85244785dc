/** Turns what a caller sent into what the engine works with, or into a readable refusal. */
import type { z } from 'zod'
import { QueueError } from '../../../shared/errors.ts'

/** An answer is no longer than it is useful, however much was wrong. */
const MAX_ISSUES = 20
const MAX_MESSAGE = 300

/** `name` says what a lone value is called. */
export function parseInput<Schema extends z.ZodType>(schema: Schema, input: unknown, name?: string): z.output<Schema> {
  const parsed = schema.safeParse(input)
  if (parsed.success) return parsed.data
  throw badInput(parsed.error, name)
}

export function badInput(error: z.ZodError, name?: string): QueueError {
  const issues = error.issues.slice(0, MAX_ISSUES).map(({ path, message }) => ({
    path: [...(name === undefined ? [] : [name]), ...path].join('.'),
    message: message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE)}…` : message,
  }))
  const text = issues.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('; ')
  return new QueueError('BAD_INPUT', text, { issues })
}

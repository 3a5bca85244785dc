/** Validates input with zod; throws BAD_INPUT with a readable message. */
import type { z } from 'zod'
import { QueueError } from '../errors.ts'

/** Limits the size of error responses. */
const MAX_ISSUES = 20
const MAX_MESSAGE = 300

/** `name` is the name of the value in error messages, when the input is not an object. */
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
  return inputError(issues)
}

/** One problem of an input; `path` is '' when it concerns the whole input. */
export interface Issue {
  readonly path: string
  readonly message: string
}

export function inputError(issues: readonly Issue[]): QueueError {
  const text = issues.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('; ')
  return new QueueError('BAD_INPUT', text, { issues })
}

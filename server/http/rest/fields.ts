/** Readers for single fields of bodies and queries; they throw BAD_INPUT with the field's name. */
import { QueueError } from '../../../shared/errors.ts'

export type Fields = Readonly<Record<string, unknown>>

export function rejectInput(message: string): never {
  throw new QueueError('BAD_INPUT', message)
}

/** `example` is a valid body for the error message. */
export async function readObject(body: () => Promise<unknown>, example: string): Promise<Fields> {
  const given = await body()
  return isFields(given) ? given : rejectInput(`Request body must be an object; send one like ${example}.`)
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** null counts as absent: many clients send it for fields without a value. */
export function optionalText(fields: Fields, name: string): string | undefined {
  const value = fields[name] ?? undefined
  if (value === undefined || typeof value === 'string') return value
  return rejectInput(`${name} must be a string.`)
}

export function isWhole(value: unknown, min: number, max: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max
}

/** Reads a query parameter that may appear at most once. */
export function single(query: URLSearchParams, name: string): string | undefined {
  const all = query.getAll(name)
  if (all.length > 1) rejectInput(`${name} is there ${all.length} times; send it once.`)
  return all[0]
}

export function wholeParameter(query: URLSearchParams, name: string, min: number, max: number): number | undefined {
  const text = single(query, name)
  if (text === undefined) return undefined
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
  return isWhole(value, min, max) ? value : rejectInput(`${name} must be a whole number from ${min} to ${max}.`)
}

/** Rejects misspelt parameters, which would otherwise be ignored and change what is listed, claimed or deleted. */
export function requireKnown(query: URLSearchParams, names: readonly string[]): void {
  const unknown = [...query.keys()].find((name) => !names.includes(name))
  if (unknown !== undefined)
    rejectInput(`There is no parameter ${unknown.slice(0, 100)} here; there are ${names.join(', ')}.`)
}

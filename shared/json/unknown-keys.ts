/** Rejects unknown options and suggests the closest known name. */
import { QueueError } from '../errors.ts'
import { nearest } from './nearest.ts'

const MAX_DISTANCE = 2

/** Suggests `delayMs` for `delay` and `priority` for `prioritiy`. */
export function suggestion(key: string, known: readonly string[]): string | undefined {
  const lower = key.toLowerCase()
  return (
    nearest(key, known, MAX_DISTANCE) ??
    known.find((one) => one.toLowerCase().startsWith(lower) || lower.startsWith(one.toLowerCase()))
  )
}

/** `what` names the owner of the options in the message. */
export function refuseUnknownKeys(given: object, known: readonly string[], what: string): void {
  for (const key of Object.keys(given)) {
    if (known.includes(key)) continue
    const meant = suggestion(key, known)
    const hint = meant === undefined ? `known options are ${known.join(', ')}.` : `did you mean ${meant}?`
    throw new QueueError('BAD_INPUT', `${what} has no option ${key}; ${hint}`)
  }
}

interface Issue {
  readonly code: string
  readonly keys?: unknown
}

/** Error message for strict zod objects. undefined: use the message of zod. */
export function suggestKeys({ code, keys }: Issue, known: readonly string[]): string | undefined {
  if (code !== 'unrecognized_keys' || !Array.isArray(keys)) return undefined
  const hints = keys.flatMap((key) => {
    const meant = suggestion(String(key), known)
    return meant === undefined ? [] : [`Unrecognized key: "${key}"; did you mean ${meant}?`]
  })
  return hints.length === 0 ? undefined : hints.join(' ')
}

/** What the server refused about a job, sorted to the fields it concerns. */
import { isTRPCClientError } from '@trpc/client'
import type { AppRouter } from '../../../server/api/router.ts'
import { isObject } from './schema/schema.ts'

export interface Refusal {
  /** By the name of the input: `priority`, `payload`, `type`. */
  readonly at: ReadonlyMap<string, string>
  /** What belongs to no field. */
  readonly rest: string | null
}

export const NO_REFUSAL: Refusal = { at: new Map(), rest: null }

const FIELDS = new Set(['type', 'payload', 'priority', 'delayMs', 'runAt', 'maxAttempts', 'timeoutMs', 'dedupeKey'])

export function refusalOf(error: unknown): Refusal {
  if (!isTRPCClientError<AppRouter>(error)) return { at: new Map(), rest: String(error) }
  const issues = error.data?.details.issues
  const at = new Map<string, string>()
  const rest: string[] = []
  for (const issue of Array.isArray(issues) ? issues : []) {
    if (!isObject(issue)) continue
    const [name = ''] = String(issue.path).split('.')
    if (FIELDS.has(name)) at.set(name, String(issue.message))
    else rest.push(String(issue.message))
  }
  // Payloads are judged as a whole, in a sentence that begins with the word.
  if (at.size === 0 && rest.length === 0) {
    if (error.message.startsWith('payload')) at.set('payload', error.message)
    else rest.push(error.message)
  }
  return { at, rest: rest.length > 0 ? rest.join('; ') : null }
}

/** Server error of an enqueue, split by the option it concerns. */
import { serverErrorsOf } from '../../ui/form/server-errors.ts'

export interface JobErrors {
  /** By input name: `priority`, `payload`, `type`. */
  readonly fields: ReadonlyMap<string, string>
  /** Errors of no single field. */
  readonly other: string | null
}

export const NO_ERRORS: JobErrors = { fields: new Map(), other: null }

const FIELDS = new Set(['type', 'payload', 'priority', 'delayMs', 'runAt', 'maxAttempts', 'timeoutMs', 'dedupeKey'])

export function jobErrorsOf(error: unknown): JobErrors {
  const { problems, message } = serverErrorsOf(error)
  const fields = new Map<string, string>()
  const other: string[] = []
  for (const [path, text] of Object.entries(problems)) {
    const [name = ''] = path.split('.')
    if (FIELDS.has(name)) fields.set(name, text)
    else other.push(text)
  }
  // Errors of the payload are one message that begins with the word.
  if (fields.size === 0 && other.length === 0 && message !== null) {
    if (message.startsWith('payload')) fields.set('payload', message)
    else other.push(message)
  }
  return { fields, other: other.length > 0 ? other.join('; ') : null }
}

/** Server error of a form, split into messages per field. */
import { isApiError } from '../../lib/api.ts'
import type { Problems } from './fields.ts'

export interface ServerErrors {
  readonly problems: Problems
  /** Message of the whole error. */
  readonly message: string | null
}

/** Removes the `set.` prefix from paths such as `set.backoff.baseMs`. */
export function serverErrorsOf(error: unknown): ServerErrors {
  const message = error instanceof Error ? error.message : String(error)
  const issues = isApiError(error) ? issuesIn(error.data?.details.issues) : []
  if (issues.length === 0) return { problems: {}, message }
  return {
    problems: Object.fromEntries(issues.map(({ path, message: text }) => [path.replace(/^set\./, ''), text])),
    message,
  }
}

interface Issue {
  readonly path: string
  readonly message: string
}

function issuesIn(value: unknown): readonly Issue[] {
  return Array.isArray(value) ? value.filter(isIssue) : []
}

function isIssue(value: unknown): value is Issue {
  return (
    typeof value === 'object' &&
    value !== null &&
    'path' in value &&
    'message' in value &&
    typeof value.path === 'string' &&
    typeof value.message === 'string'
  )
}

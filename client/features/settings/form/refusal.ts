/** What the server found wrong with a form, by field, in its own words. */
import { isTRPCClientError } from '@trpc/client'
import type { AppRouter } from '../../../../server/api/router.ts'
import type { Problems } from './fields.ts'

export interface Refusal {
  readonly problems: Problems
  /** What belongs to no field. */
  readonly message: string | null
}

/** Issues name places such as `set.backoff.baseMs`; forms know them without the `set`. */
export function refusalOf(error: unknown): Refusal {
  const message = error instanceof Error ? error.message : String(error)
  const issues = isTRPCClientError<AppRouter>(error) ? issuesIn(error.data?.details.issues) : []
  if (issues.length === 0) return { problems: {}, message }
  return {
    problems: Object.fromEntries(issues.map(({ path, message: words }) => [path.replace(/^set\./, ''), words])),
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

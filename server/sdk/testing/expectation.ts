/** Finds a job that a test expects, or says in words what there is instead. */
import { AssertionError } from 'node:assert'
import type { JobSummary } from '../../../shared/job.ts'

/** A job that a test found, with its payload. */
export type FoundJob = JobSummary & {
  /** What the handler gets. */
  readonly payload?: unknown
}

const MOST_SHOWN = 10

/** `jobs` newest first; `types` are all that the queue has seen. */
export function expectJob(
  jobs: readonly FoundJob[],
  expected: { readonly type: string; readonly payload?: unknown },
  types: readonly string[],
): FoundJob {
  const found = jobs.find((job) => expected.payload === undefined || matches(job.payload, expected.payload))
  if (found) return found
  const wanted = expected.payload === undefined ? '' : ` with a payload like ${show(expected.payload)}`
  throw new AssertionError({
    message: `No job of type ${expected.type}${wanted} was enqueued. ${instead(jobs, types)}`,
    actual: jobs.map(({ payload }) => payload),
    expected: expected.payload ?? `a job of type ${expected.type}`,
    operator: 'expectEnqueued',
    stackStartFn: expectJob,
  })
}

function instead(jobs: readonly FoundJob[], types: readonly string[]): string {
  if (jobs.length > 0) {
    const lines = jobs.slice(0, MOST_SHOWN).map(({ status, payload }) => `\n  ${status} ${show(payload)}`)
    const more = jobs.length > MOST_SHOWN ? `\n  and ${jobs.length - MOST_SHOWN} more` : ''
    return `Of this type there ${jobs.length === 1 ? 'is' : 'are'}:${lines.join('')}${more}`
  }
  return types.length === 0
    ? 'The queue has seen no jobs at all.'
    : `The queue has seen these types: ${types.join(', ')}.`
}

function show(value: unknown): string {
  return JSON.stringify(value) ?? String(value)
}

/** What is named must be there and match; what is not named may be anything. Lists must be as long. */
function matches(actual: unknown, expected: unknown): boolean {
  if (isMatcher(expected)) return expected.asymmetricMatch(actual)
  if (Array.isArray(expected)) {
    return (
      Array.isArray(actual) &&
      actual.length === expected.length &&
      expected.every((one, index) => matches(actual[index], one))
    )
  }
  if (isObject(expected)) {
    return isObject(actual) && Object.entries(expected).every(([name, one]) => matches(actual[name], one))
  }
  return Object.is(actual, expected)
}

/** `expect.any(String)` and its like, of whichever test runner. */
function isMatcher(value: unknown): value is { asymmetricMatch(actual: unknown): boolean } {
  return isObject(value) && typeof value.asymmetricMatch === 'function'
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

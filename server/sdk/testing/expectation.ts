/** `expectEnqueued`: finds an expected job, or throws with a list of the actual ones. */
import { AssertionError } from 'node:assert'
import type { JobSummary } from '../../../shared/job.ts'
import { isObject } from '../../../shared/json/is-object.ts'

/** A job found by a test, with its payload. */
export type FoundJob = JobSummary & {
  /** The stored payload. */
  readonly payload?: unknown
}

const MAX_SHOWN = 10

/** `jobs`: newest first. `types`: all types of the queue. */
export function expectJob(
  jobs: readonly FoundJob[],
  expected: { readonly type: string; readonly payload?: unknown },
  types: readonly string[],
): FoundJob {
  const found = jobs.find((job) => expected.payload === undefined || matches(job.payload, expected.payload))
  if (found) return found
  const wanted = expected.payload === undefined ? '' : ` with a payload like ${format(expected.payload)}`
  throw new AssertionError({
    message: `No job of type ${expected.type}${wanted} was enqueued. ${describeActual(jobs, types)}`,
    actual: jobs.map(({ payload }) => payload),
    expected: expected.payload ?? `a job of type ${expected.type}`,
    operator: 'expectEnqueued',
    stackStartFn: expectJob,
  })
}

function describeActual(jobs: readonly FoundJob[], types: readonly string[]): string {
  if (jobs.length > 0) {
    const lines = jobs.slice(0, MAX_SHOWN).map(({ status, payload }) => `\n  ${status} ${format(payload)}`)
    const more = jobs.length > MAX_SHOWN ? `\n  and ${jobs.length - MAX_SHOWN} more` : ''
    return `Jobs of this type:${lines.join('')}${more}`
  }
  return types.length === 0 ? 'No jobs were enqueued at all.' : `Enqueued types: ${types.join(', ')}.`
}

function format(value: unknown): string {
  return JSON.stringify(value) ?? String(value)
}

/** Partial match: properties of `expected` must match, others are ignored. Arrays must have the same length. */
function matches(actual: unknown, expected: unknown): boolean {
  if (isMatcher(expected)) return expected.asymmetricMatch(actual)
  if (Array.isArray(expected)) {
    return (
      Array.isArray(actual) &&
      actual.length === expected.length &&
      expected.every((part, index) => matches(actual[index], part))
    )
  }
  if (isObject(expected)) {
    return isObject(actual) && Object.entries(expected).every(([name, part]) => matches(actual[name], part))
  }
  return Object.is(actual, expected)
}

/** An asymmetric matcher of any test runner, such as `expect.any(String)`. */
function isMatcher(value: unknown): value is { asymmetricMatch(actual: unknown): boolean } {
  return isObject(value) && typeof value.asymmetricMatch === 'function'
}

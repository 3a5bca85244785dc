/** Text for a job's backoff and source. */
import type { Backoff } from '../../../shared/settings/backoff.ts'
import { backoffDelayMs } from '../../../shared/settings/backoff-delay.ts'
import { SOURCES } from '../../../shared/sources.ts'
import { measured } from '../../lib/format-duration.ts'

/** Random value that cancels out the jitter. */
const NO_JITTER = 0.5

export function formatBackoff(backoff: Backoff): string {
  if (backoff.kind === 'fixed') return `${measured(backoff.baseMs)}, fixed`
  const first = [1, 2, 3].map((attempt) => measured(backoffDelayMs(backoff, attempt, NO_JITTER)))
  return `${first.join(', ')} … up to ${measured(backoff.capMs)}`
}

/** `api`, or the compatible REST API that enqueued the job. */
export function formatSource(source: string): string {
  if (source === 'api') return 'API'
  return Object.values<string>(SOURCES).includes(source) ? `${source} API` : source
}

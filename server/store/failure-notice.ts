/** The webhook job for a failed job, made in the commit that records the failure. */
import { createHash } from 'node:crypto'
import type { Attempt } from '../../shared/job.ts'
import type { State } from '../../shared/lifecycle.ts'
import { WEBHOOK_TYPE } from '../../shared/reserved-types.ts'
import { DEFAULT_BACKOFF } from '../../shared/settings/backoff.ts'
import type { WebhookBody } from '../../shared/settings/webhooks.ts'
import type { Kind } from '../../shared/status.ts'
import type { NewJob } from './ops.ts'

const MAX_ATTEMPTS = 8

/** A job that failed without another retry. */
export interface FailedJob {
  readonly job: { readonly id: string; readonly type: string; readonly tick: string | null }
  readonly next: State
  readonly attempt: Attempt
}

export function failureNotice({ job, next, attempt }: FailedJob, kind: Kind): NewJob {
  const { id, type } = job
  const { attempts, error, finishedAt } = next
  const payload: Omit<WebhookBody, 'id'> = {
    event: 'job.failed',
    job: { id, type, attempts, error, failedAt: finishedAt },
  }
  return {
    id: noticeId(id, attempt.version),
    type: WEBHOOK_TYPE,
    kind,
    payload: JSON.stringify(payload),
    priority: 0,
    delayMs: null,
    runAt: null,
    maxAttempts: MAX_ATTEMPTS,
    timeoutMs: null,
    backoff: DEFAULT_BACKOFF,
    dedupeKey: null,
    dedupeUntil: 'removed',
    expiresAt: null,
    face: 'webhook',
    traceparent: null,
    groupName: null,
    groupKey: null,
    whenFull: null,
  }
}

/** A UUID v8 derived from the failure: a repeated commit makes the same job, not a second one. */
function noticeId(id: string, version: number): string {
  const hex = createHash('sha256').update(`webhook ${id} ${version}`).digest('hex')
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 0x3) | 0x8).toString(16)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/** The options of `enqueue`, in the words of a job's JSON. */
import type { JobFields } from '../../input/job-fields.ts'

export interface EnqueueOptions {
  readonly command?: string
  readonly argv?: unknown
  readonly type?: string
  readonly payload?: unknown
  readonly priority?: number
  readonly delay?: number
  readonly at?: number
  readonly maxAttempts?: number
  readonly maxRetries?: number
  readonly timeout?: number
  readonly dedupeKey?: string
  readonly dedupeUntil?: string
  readonly file?: string
  readonly fromLine: number
}

export function fieldsOf(options: EnqueueOptions): JobFields {
  const { fromLine: _, file: __, delay, at, timeout, ...plain } = options
  return {
    ...plain,
    ...(delay !== undefined && { delayMs: delay }),
    ...(at !== undefined && { runAt: at }),
    ...(timeout !== undefined && { timeoutMs: timeout }),
  }
}

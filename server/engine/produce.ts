/** What producers say: enqueue one job, or many as one. */
import type { z } from 'zod'
import { type EnqueueInput, enqueueInput, enqueueManyInput } from '../../shared/contracts/produce.ts'
import { QueueError } from '../../shared/errors.ts'
import type { EnqueueResult } from '../../shared/job.ts'
import { encodePayload } from '../../shared/text.ts'
import type { NewJob } from '../store/ops.ts'
import type { GroupCommit } from './group-commit.ts'
import { newId } from './ids.ts'
import { parseInput } from './input.ts'

export interface Producing {
  enqueue(input: EnqueueInput): Promise<EnqueueResult>
  /** All of them or none. */
  enqueueMany(input: { readonly jobs: readonly EnqueueInput[] }): Promise<readonly EnqueueResult[]>
}

export function createProducing(commits: GroupCommit, maxPayloadBytes: number): Producing {
  const prepare = (input: z.output<typeof enqueueInput>, name: string): NewJob => ({
    id: newId(),
    type: input.type,
    kind: input.kind,
    payload: encodePayload(input.payload, maxPayloadBytes, name),
    priority: input.priority,
    delayMs: input.delayMs ?? null,
    runAt: input.runAt ?? null,
    maxAttempts: input.maxAttempts ?? null,
    timeoutMs: input.timeoutMs ?? null,
    backoff: input.backoff ?? null,
    dedupeKey: input.dedupeKey ?? null,
    dedupeUntil: input.dedupeUntil,
    expiresAt: input.expiresAt ?? null,
    face: input.face,
    traceparent: input.traceparent ?? null,
    concurrencyKey: input.concurrencyKey ?? null,
  })

  return {
    async enqueue(input) {
      const job = prepare(parseInput(enqueueInput, input), 'payload')
      const [result] = await commits.submit<'enqueue'>({ kind: 'enqueue', jobs: [job] })
      if (!result) throw new QueueError('STORE_FAILED', 'The store gave no outcome for a job.')
      return result
    },
    async enqueueMany(input) {
      const { jobs } = parseInput(enqueueManyInput, input)
      const prepared = jobs.map((job, index) => prepare(job, `jobs.${index}.payload`))
      return commits.submit<'enqueue'>({ kind: 'enqueue', jobs: prepared })
    },
  }
}

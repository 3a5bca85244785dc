/** The face at /api/queue as operations. */
import { z } from 'zod'
import type { Operation } from './operation.ts'
import { badInput, idInPath, inQuery, refused } from './rest-parts.ts'

export const queueJob = z.object({
  id: z.uuid(),
  type: z.string(),
  data: z.unknown(),
  version: z.int().describe('Sent back, it keeps a late worker from settling the claim of another.'),
  attempt: z.int(),
})

export const jsonQueueOperations: readonly Operation[] = [
  {
    method: 'post',
    path: '/api/queue',
    id: 'postJob',
    tag: 'json queue',
    summary: 'Add a job; it gets two attempts',
    body: {
      schema: z.object({ type: z.string().min(1).max(100), data: z.unknown() }),
      isRequired: true,
      example: { type: 'process_image', data: { url: 'https://example.com/img.jpg' } },
    },
    answers: {
      201: { description: 'Stored.', schema: z.object({ id: z.uuid(), status: z.literal('waiting') }) },
      ...badInput,
    },
  },
  {
    method: 'get',
    path: '/api/queue',
    id: 'takeJob',
    tag: 'json queue',
    summary: 'Take the next job',
    description: 'It comes back once when it is not settled in time; after that it has failed.',
    parameters: [inQuery('type', 'Only jobs of this type.', z.string().min(1).max(100).optional())],
    answers: {
      200: { description: 'A job.', schema: queueJob },
      204: { description: 'There is none.', schema: null },
      ...badInput,
    },
  },
  {
    method: 'put',
    path: '/api/queue/{id}',
    id: 'settleJob',
    tag: 'json queue',
    summary: 'Complete a job, or fail it for good',
    parameters: [idInPath],
    body: {
      schema: z.object({
        status: z.enum(['completed', 'failed']),
        result: z.unknown().optional(),
        error: z.string().optional(),
        version: z.int().min(1).optional(),
      }),
      isRequired: true,
      example: { status: 'completed', result: { processed: true } },
    },
    answers: {
      200: { description: 'Recorded.', schema: z.object({ success: z.literal(true) }) },
      404: refused('Unknown, settled before, or no longer yours.'),
      ...badInput,
    },
  },
]

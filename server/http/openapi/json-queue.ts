/** OpenAPI operations of /api/queue. */

import { z } from 'zod'
import { groupKey } from '../../../shared/contracts/fields.ts'
import { errorResponse, idInPath, inputErrors, inQuery, type Operation } from './operation.ts'

export const queueJob = z.object({
  id: z.uuid(),
  type: z.string(),
  data: z.unknown(),
  version: z.int().describe('Fencing token: send it back to keep a late worker from settling the claim of another.'),
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
      schema: z.object({ type: z.string().min(1).max(100), data: z.unknown(), group: groupKey.optional() }),
      isRequired: true,
      example: { type: 'process_image', data: { url: 'https://example.com/img.jpg' } },
    },
    responses: {
      201: { description: 'Stored.', schema: z.object({ id: z.uuid(), status: z.literal('waiting') }) },
      ...inputErrors,
    },
  },
  {
    method: 'get',
    path: '/api/queue',
    id: 'takeJob',
    tag: 'json queue',
    summary: 'Claim the next job',
    description: 'A job that is not settled in time is returned once more; after that it fails.',
    parameters: [inQuery('type', 'Only jobs of this type.', z.string().min(1).max(100).optional())],
    responses: {
      200: { description: 'A job.', schema: queueJob },
      204: { description: 'No job is ready.', schema: null },
      ...inputErrors,
    },
  },
  {
    method: 'put',
    path: '/api/queue/{id}',
    id: 'settleJob',
    tag: 'json queue',
    summary: 'Complete a job, or fail it without a retry',
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
    responses: {
      200: { description: 'Recorded.', schema: z.object({ success: z.literal(true) }) },
      404: errorResponse('Unknown, settled already, or claimed by another worker.'),
      ...inputErrors,
    },
  },
]

/** OpenAPI operations of the health probes. */
import { z } from 'zod'
import type { Operation } from './operation.ts'

const health = z.object({
  status: z.enum(['ok', 'failing']),
  durability: z.enum(['full', 'normal']).optional(),
  problems: z.array(z.string()),
  warnings: z.array(z.string()).optional(),
})

export const healthOperations: readonly Operation[] = [
  {
    method: 'get',
    path: '/health',
    id: 'health',
    tag: 'health',
    summary: 'Whether the database can be read',
    description: 'Needs no token.',
    responses: {
      200: { description: 'The database is readable.', schema: health },
      503: { description: 'The database is not readable; `problems` lists the reasons.', schema: health },
    },
  },
  {
    method: 'get',
    path: '/ready',
    id: 'ready',
    tag: 'health',
    summary: 'Whether this server accepts work',
    description: 'Needs no token.',
    responses: {
      200: { description: 'The server accepts work.', schema: health },
      503: { description: 'The server does not accept work; `problems` lists the reasons.', schema: health },
    },
  },
]

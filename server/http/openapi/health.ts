/** The probes as operations. */
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
    answers: {
      200: { description: 'It can.', schema: health },
      503: { description: 'It cannot; `problems` has the reasons.', schema: health },
    },
  },
  {
    method: 'get',
    path: '/ready',
    id: 'ready',
    tag: 'health',
    summary: 'Whether this server accepts work',
    description: 'Needs no token.',
    answers: {
      200: { description: 'It does.', schema: health },
      503: { description: 'It does not; `problems` has the reasons.', schema: health },
    },
  },
]

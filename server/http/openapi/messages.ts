/** OpenAPI operations of /v1. */

import { z } from 'zod'
import { groupKey } from '../../../shared/contracts/fields.ts'
import { limits } from '../../../shared/limits.ts'
import { errorResponse, inputErrors, inQuery, type Operation, serverErrors } from './operation.ts'

export const message = z.object({ id: z.int(), timestamp: z.iso.datetime(), body: z.string() })
const states = z.object({ new: z.int(), claimed: z.int(), archived: z.int() })

export const messageOperations: readonly Operation[] = [
  {
    method: 'post',
    path: '/v1/messages',
    id: 'postMessage',
    tag: 'messages',
    summary: 'Store a message',
    body: {
      schema: z.object({
        body: z.string(),
        topic: z.string().min(1).max(limits.typeLength).optional(),
        dedupe_key: z.string().min(1).max(limits.keyLength).optional(),
        group: groupKey.optional(),
      }),
      isRequired: true,
      example: { body: 'hello' },
    },
    responses: {
      200: { description: 'A message with this dedupe_key exists already.', schema: message },
      201: { description: 'Stored.', schema: message },
      ...inputErrors,
    },
  },
  {
    method: 'get',
    path: '/v1/messages',
    id: 'takeMessages',
    tag: 'messages',
    summary: 'Read the next messages, in order',
    description:
      'Messages are archived at once and never returned again. With `visibility_timeout` they have a `version` and are ' +
      'returned again after that many seconds unless they are acknowledged.',
    parameters: [
      inQuery('limit', 'Maximum number of messages; GET_LIMIT_MAX is the upper bound.', z.int().min(1).optional()),
      inQuery('topic', 'Default: `messages`.', z.string().min(1).max(limits.typeLength).optional()),
      inQuery(
        'visibility_timeout',
        'Seconds until unacknowledged messages are returned again.',
        z.int().min(1).optional(),
      ),
    ],
    responses: {
      200: {
        description: 'The messages; empty if there are none.',
        schema: z.array(message.extend({ version: z.int().optional() })),
      },
      ...inputErrors,
    },
  },
  {
    method: 'post',
    path: '/v1/acks',
    id: 'acknowledge',
    tag: 'messages',
    summary: 'Archive messages that were read with a visibility_timeout',
    body: {
      schema: z.object({ acks: z.array(z.object({ id: z.int(), version: z.int() })).max(limits.settle) }),
      isRequired: true,
      example: { acks: [{ id: 7, version: 1 }] },
    },
    responses: {
      200: {
        description: '`stale` lists messages whose visibility timeout had passed.',
        schema: z.object({ acked: z.array(z.int()), stale: z.array(z.int()) }),
      },
      ...inputErrors,
    },
  },
  {
    method: 'get',
    path: '/v1/stats',
    id: 'countMessages',
    tag: 'messages',
    summary: 'Number of messages per state, in total and by topic',
    responses: {
      200: { description: 'Exact counts.', schema: states.extend({ topics: z.record(z.string(), states) }) },
      '4XX': errorResponse('Rejected.'),
      ...serverErrors,
    },
  },
]

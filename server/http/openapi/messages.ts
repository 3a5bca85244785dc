/** The face at /v1 as operations. */
import { z } from 'zod'
import { limits } from '../../../shared/limits.ts'
import type { Operation } from './operation.ts'
import { badInput, failing, inQuery, refused } from './rest-parts.ts'

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
      }),
      isRequired: true,
      example: { body: 'hello' },
    },
    answers: {
      200: { description: 'It is there already, by its dedupe_key.', schema: message },
      201: { description: 'Stored.', schema: message },
      ...badInput,
    },
  },
  {
    method: 'get',
    path: '/v1/messages',
    id: 'takeMessages',
    tag: 'messages',
    summary: 'Take the next messages, in order',
    description:
      'They are archived at once and never come again. With `visibility_timeout` they carry a `version`, and come again ' +
      'after so many seconds unless they are acknowledged.',
    parameters: [
      inQuery('limit', 'At most so many; GET_LIMIT_MAX bounds it.', z.int().min(1).optional()),
      inQuery('topic', '`messages` when not given.', z.string().min(1).max(limits.typeLength).optional()),
      inQuery('visibility_timeout', 'Seconds to acknowledge in.', z.int().min(1).optional()),
    ],
    answers: {
      200: {
        description: 'As many as there are, maybe none.',
        schema: z.array(message.extend({ version: z.int().optional() })),
      },
      ...badInput,
    },
  },
  {
    method: 'post',
    path: '/v1/acks',
    id: 'acknowledge',
    tag: 'messages',
    summary: 'Archive messages that were taken with a visibility_timeout',
    body: {
      schema: z.object({ acks: z.array(z.object({ id: z.int(), version: z.int() })).max(limits.settle) }),
      isRequired: true,
      example: { acks: [{ id: 7, version: 1 }] },
    },
    answers: {
      200: {
        description: 'Stale ones were not yours any more.',
        schema: z.object({ acked: z.array(z.int()), stale: z.array(z.int()) }),
      },
      ...badInput,
    },
  },
  {
    method: 'get',
    path: '/v1/stats',
    id: 'countMessages',
    tag: 'messages',
    summary: 'How many messages are in which state, by topic',
    answers: {
      200: { description: 'Exact.', schema: states.extend({ topics: z.record(z.string(), states) }) },
      '4XX': refused('Refused.'),
      ...failing,
    },
  },
]

/** The face at /api/tasks as operations; /api/task-queue/tasks is the same. */
import { z } from 'zod'
import { limits } from '../../../shared/limits.ts'
import type { Operation } from './operation.ts'
import { badInput, failing, idInPath, inQuery, refused } from './rest-parts.ts'

const taskStatus = z.enum(['to-do', 'in-progress', 'success', 'failed'])
const seconds = z.int().describe('Unix time in seconds.')
export const task = z.object({
  id: z.uuid(),
  type: z.string(),
  payload: z.unknown(),
  status: taskStatus,
  attempts: z.int(),
  last_attempt_at: seconds.nullable(),
  result: z.unknown(),
  error: z.string().nullable(),
  run_after: seconds.nullable(),
  created_at: seconds,
  updated_at: seconds,
  completed_at: seconds.nullable(),
})
export const taskCounts = z.object({ 'to-do': z.int(), 'in-progress': z.int(), success: z.int(), failed: z.int() })

export const taskOperations: readonly Operation[] = [
  {
    method: 'post',
    path: '/api/tasks',
    id: 'createTask',
    tag: 'tasks',
    summary: 'Create a task',
    body: {
      schema: z.object({
        type: z.string().min(1).max(limits.typeLength),
        payload: z.unknown(),
        run_after: seconds.optional(),
      }),
      isRequired: true,
      example: { type: 'send_email', payload: { to: 'user@example.com' } },
    },
    answers: { 201: { description: 'Created.', schema: task }, ...badInput },
  },
  {
    method: 'get',
    path: '/api/tasks',
    id: 'listTasks',
    tag: 'tasks',
    summary: 'List tasks, newest first',
    parameters: [
      inQuery('type', 'Of this type.', z.string().optional()),
      inQuery('status', 'One or several, separated by commas.', z.string().optional()),
      inQuery('limit', '50 when not given.', z.int().min(1).max(limits.list).optional()),
      inQuery('offset', 'How many to pass over.', z.int().min(0).max(limits.offset).optional()),
    ],
    answers: { 200: { description: 'A page.', schema: z.array(task) }, ...badInput },
  },
  {
    method: 'delete',
    path: '/api/tasks',
    id: 'cleanUpTasks',
    tag: 'tasks',
    summary: 'Delete old tasks that succeeded',
    parameters: [
      inQuery('older_than', 'Seconds since they ended; the retention when not given.', z.int().min(0).optional()),
      inQuery('type', 'Of this type.', z.string().optional()),
    ],
    answers: { 200: { description: 'Done.', schema: z.object({ deleted: z.int() }) }, ...badInput },
  },
  {
    method: 'get',
    path: '/api/tasks/stats',
    id: 'countTasks',
    tag: 'tasks',
    summary: 'How many tasks are in which status, by type',
    answers: {
      200: { description: 'Exact.', schema: taskCounts.extend({ byType: z.record(z.string(), taskCounts) }) },
      '4XX': refused('Refused.'),
      ...failing,
    },
  },
  ...(['pause', 'resume'] as const).map(
    (verb): Operation => ({
      method: 'post',
      path: `/api/tasks/${verb}`,
      id: `${verb}Tasks`,
      tag: 'tasks',
      summary: verb === 'pause' ? 'Hand out nothing until resumed' : 'Hand out tasks again',
      answers: {
        200: { description: 'Done.', schema: z.object({ paused: z.boolean() }) },
        '4XX': refused('Refused.'),
        ...failing,
      },
    }),
  ),
  {
    method: 'post',
    path: '/api/tasks/rate-limit',
    id: 'limitTasks',
    tag: 'tasks',
    summary: 'Hand out at most so many tasks a second, of all types together',
    body: {
      schema: z.object({ rps: z.number().positive().nullable() }),
      isRequired: true,
      example: { rps: 10 },
    },
    answers: { 200: { description: 'Done.', schema: z.object({ rps: z.number().nullable() }) }, ...badInput },
  },
  {
    method: 'get',
    path: '/api/tasks/{id}',
    id: 'getTask',
    tag: 'tasks',
    summary: 'One task',
    parameters: [idInPath],
    answers: { 200: { description: 'It.', schema: task }, 404: refused('There is none.'), ...failing },
  },
  {
    method: 'delete',
    path: '/api/tasks/{id}',
    id: 'deleteTask',
    tag: 'tasks',
    summary: 'Delete a task that has ended',
    parameters: [idInPath],
    answers: {
      200: { description: 'Done.', schema: z.object({ deleted: z.int() }) },
      404: refused('There is none.'),
      409: refused('It has not ended.'),
      ...failing,
    },
  },
  ...(['retry', 'cancel'] as const).map(
    (verb): Operation => ({
      method: 'post',
      path: `/api/tasks/{id}/${verb}`,
      id: `${verb}Task`,
      tag: 'tasks',
      summary: verb === 'retry' ? 'Run a task again that has ended' : 'Cancel a task that has not ended',
      parameters: [idInPath],
      answers: {
        200: { description: 'The task as it is now.', schema: task },
        404: refused('There is none.'),
        409: refused('Not in the status it is in.'),
        ...failing,
      },
    }),
  ),
]

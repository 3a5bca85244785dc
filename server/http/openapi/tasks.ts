/** OpenAPI operations of /api/tasks; /api/task-queue/tasks is the same. */

import { z } from 'zod'
import { groupKey } from '../../../shared/contracts/fields.ts'
import { limits } from '../../../shared/limits.ts'
import { errorResponse, idInPath, inputErrors, inQuery, type Operation, serverErrors } from './operation.ts'

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
        group: groupKey.optional(),
      }),
      isRequired: true,
      example: { type: 'send_email', payload: { to: 'user@example.com' } },
    },
    responses: { 201: { description: 'Created.', schema: task }, ...inputErrors },
  },
  {
    method: 'get',
    path: '/api/tasks',
    id: 'listTasks',
    tag: 'tasks',
    summary: 'List tasks, newest first',
    parameters: [
      inQuery('type', 'Only tasks of this type.', z.string().optional()),
      inQuery('status', 'One or several, separated by commas.', z.string().optional()),
      inQuery('limit', 'Default: 50.', z.int().min(1).max(limits.list).optional()),
      inQuery('offset', 'Number of tasks to skip.', z.int().min(0).max(limits.offset).optional()),
    ],
    responses: { 200: { description: 'A page.', schema: z.array(task) }, ...inputErrors },
  },
  {
    method: 'delete',
    path: '/api/tasks',
    id: 'cleanUpTasks',
    tag: 'tasks',
    summary: 'Delete old tasks that succeeded',
    parameters: [
      inQuery(
        'older_than',
        'Minimum age in seconds since the end of the task. Default: the retention.',
        z.int().min(0).optional(),
      ),
      inQuery('type', 'Only tasks of this type.', z.string().optional()),
    ],
    responses: { 200: { description: 'Done.', schema: z.object({ deleted: z.int() }) }, ...inputErrors },
  },
  {
    method: 'get',
    path: '/api/tasks/stats',
    id: 'countTasks',
    tag: 'tasks',
    summary: 'Number of tasks per status, in total and by type',
    responses: {
      200: { description: 'Exact counts.', schema: taskCounts.extend({ byType: z.record(z.string(), taskCounts) }) },
      '4XX': errorResponse('Rejected.'),
      ...serverErrors,
    },
  },
  ...(['pause', 'resume'] as const).map(
    (verb): Operation => ({
      method: 'post',
      path: `/api/tasks/${verb}`,
      id: `${verb}Tasks`,
      tag: 'tasks',
      summary: verb === 'pause' ? 'Pause the queue' : 'Resume the queue',
      responses: {
        200: { description: 'Done.', schema: z.object({ paused: z.boolean() }) },
        '4XX': errorResponse('Rejected.'),
        ...serverErrors,
      },
    }),
  ),
  {
    method: 'post',
    path: '/api/tasks/rate-limit',
    id: 'limitTasks',
    tag: 'tasks',
    summary: 'Limit the number of tasks started per second, over all types',
    body: {
      schema: z.object({ rps: z.number().positive().nullable() }),
      isRequired: true,
      example: { rps: 10 },
    },
    responses: { 200: { description: 'Done.', schema: z.object({ rps: z.number().nullable() }) }, ...inputErrors },
  },
  {
    method: 'get',
    path: '/api/tasks/{id}',
    id: 'getTask',
    tag: 'tasks',
    summary: 'Get a task',
    parameters: [idInPath],
    responses: {
      200: { description: 'The task.', schema: task },
      404: errorResponse('There is no such task.'),
      ...serverErrors,
    },
  },
  {
    method: 'delete',
    path: '/api/tasks/{id}',
    id: 'deleteTask',
    tag: 'tasks',
    summary: 'Delete a task that has ended',
    parameters: [idInPath],
    responses: {
      200: { description: 'Done.', schema: z.object({ deleted: z.int() }) },
      404: errorResponse('There is no such task.'),
      409: errorResponse('The task has not ended.'),
      ...serverErrors,
    },
  },
  ...(['retry', 'cancel'] as const).map(
    (verb): Operation => ({
      method: 'post',
      path: `/api/tasks/{id}/${verb}`,
      id: `${verb}Task`,
      tag: 'tasks',
      summary: verb === 'retry' ? 'Retry a task that has failed' : 'Cancel a task that has not ended',
      parameters: [idInPath],
      responses: {
        200: { description: 'The task after the change.', schema: task },
        404: errorResponse('There is no such task.'),
        409: errorResponse('Not possible in the current status of the task.'),
        ...serverErrors,
      },
    }),
  ),
]

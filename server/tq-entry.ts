/** The entry `millrace/tq`: jobs in one line of code, in the application's own SQLite file or by an address, and their task API. */

export type { TaskStatus } from '../shared/vocabulary.ts'
export type { NodeHandler, TaskQueueRouterOptions, TaskQueueVerbs } from './http/task-queue-router.ts'
export type { ListFilters, Task } from './rest/task.ts'
export {
  createTaskQueueRouter,
  type FastifyHost,
  type TaskQueueRoutesOptions,
  type TaskQueueSource,
  taskQueueRoutes,
} from './task-queue-routes.ts'
export type * from './tq/face.ts'
export { createTq, tq } from './tq/tq.ts'

/** Entry `millrace/tq`: jobs in one line of code, and the task REST API. */

export type { TaskStatus } from '../../../shared/vocabulary.ts'
export type { ListFilters, Task } from '../../http/rest/task.ts'
export type { NodeHandler, TaskQueueRouterOptions, TaskQueueVerbs } from '../tq/task-queue-router.ts'
export {
  createTaskQueueRouter,
  type FastifyHost,
  type TaskQueueRoutesOptions,
  type TaskQueueSource,
  taskQueueRoutes,
} from '../tq/task-queue-routes.ts'
export { createTq, tq } from '../tq/tq.ts'
export type * from '../tq/tq-interface.ts'

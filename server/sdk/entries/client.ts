/** Entry `millrace/client`: producers in browsers, edge runtimes and small services. Needs only `fetch`. */

export { type ErrorCode, QueueError } from '../../../shared/errors.ts'
export { GroupBusy } from '../../../shared/group-busy.ts'
export type { EnqueueResult } from '../../../shared/job.ts'
export type { Address, Queue } from '../../../shared/queue.ts'
export {
  type Client,
  type ClientJobs,
  type ClientOptions,
  createClient,
  type TransactionalClient,
  type TransactionalClientOptions,
} from '../create-client.ts'
export type { JobDefinition, JobDefinitions, JobGroup, JobSettings } from '../jobs/definition.ts'
export type { GroupKeyOf } from '../jobs/group-key.ts'
export { JobNotCompleted } from '../jobs/job-not-completed.ts'
export { ResultTimeout, type WaitOptions } from '../jobs/job-results.ts'
export type { Schema } from '../jobs/standard-schema.ts'
export type {
  EnqueuedJob,
  EnqueueManyOptions,
  EnqueueOptions,
  JobHandle,
  TransactionalTypedQueue,
  TypedQueue,
} from '../jobs/typed-queue.ts'

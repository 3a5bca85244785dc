/** The entry `millrace/client`: producers in browsers, edge runtimes and small services. It needs fetch and no other package. */

export { type ErrorCode, QueueError } from '../shared/errors.ts'
export type { EnqueueResult } from '../shared/job.ts'
export type { Address, Queue } from './queue/queue.ts'
export {
  type Client,
  type ClientJobs,
  type ClientOptions,
  createClient,
  type TransactionalClient,
  type TransactionalClientOptions,
} from './sdk/create-client.ts'
export type { JobDefinition, JobDefinitions, JobSettings } from './sdk/definition.ts'
export { JobNotCompleted } from './sdk/job-not-completed.ts'
export { ResultTimeout, type WaitOptions } from './sdk/job-results.ts'
export type { Schema } from './sdk/schema.ts'
export type {
  EnqueuedJob,
  EnqueueManyOptions,
  EnqueueOptions,
  JobHandle,
  TransactionalTypedQueue,
  TypedQueue,
} from './sdk/typed-queue.ts'

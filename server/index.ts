/**
 * The main entry: typed jobs, clients, workers and queues. It loads a database driver or Express when one is used; `tq` has an entry of
 * its own, since it opens a SQLite file at once.
 */

export type {
  Backoff,
  BackoffInput,
  ExponentialBackoff,
  FixedBackoff,
  LinearBackoff,
} from '../shared/backoff.ts'
export type * from '../shared/contracts/observe.ts'
export type * from '../shared/contracts/operate.ts'
export type * from '../shared/contracts/produce.ts'
export type * from '../shared/contracts/work.ts'
export { type ErrorCode, QueueError } from '../shared/errors.ts'
export type * from '../shared/job.ts'
export { type JobKind, type Kind, STATUSES, type Status, type StatusCounts } from '../shared/status.ts'
export type {
  Defaults,
  EffectiveSettings,
  QueueSettings,
  QueueSettingsInput,
  TypeSettings,
  TypeSettingsInput,
} from '../shared/type-settings.ts'
export type { TaskStatus } from '../shared/vocabulary.ts'
export type { WebhookBody } from '../shared/webhooks.ts'
export type { EventFrame } from './api/event-frames.ts'
export type { AppRouter } from './api/router.ts'
export type { Handlers } from './checked-handlers.ts'
export type { Clock } from './clock.ts'
export { type OpenOptions, openEngine } from './compose.ts'
export { type Config, readConfig } from './config.ts'
export { createDashboard, type Dashboard, type DashboardOptions } from './create-dashboard.ts'
export { createWorker, type TypedWorkerOptions } from './create-worker.ts'
export type { Engine, Events } from './engine/engine.ts'
export type { QueueEvent, Told } from './engine/events.ts'
export type { Explanation } from './engine/explain.ts'
export type { QueueFacts } from './engine/observe.ts'
export type { Actor } from './engine/operate.ts'
export type { JobOutcome, ResultsAnswer } from './engine/results.ts'
export type { Percentiles, Stats } from './engine/stats.ts'
export type { ClaimContext, SettleOutcome } from './engine/work.ts'
export type { HostHandle } from './host-database.ts'
export type { Authorize, Visitor } from './http/visitors.ts'
export { type OpenQueueOptions, openQueue } from './open-queue.ts'
export type { Address, Queue } from './queue/queue.ts'
export type {
  Client,
  ClientJobs,
  ClientOptions,
  TransactionalClient,
  TransactionalClientOptions,
} from './sdk/create-client.ts'
export { createClient, type DeclaringClient } from './sdk/declaring-client.ts'
export { defineJobs } from './sdk/define-jobs.ts'
export type { JobDefinition, JobDefinitions, JobSettings } from './sdk/definition.ts'
export { JobNotCompleted } from './sdk/job-not-completed.ts'
export { ResultTimeout, type WaitOptions } from './sdk/job-results.ts'
export type { Schema } from './sdk/schema.ts'
export type {
  EnqueuedJob,
  EnqueueManyOptions,
  EnqueueOptions as ClientEnqueueOptions,
  JobHandle,
  TransactionalTypedQueue,
  TypedQueue,
} from './sdk/typed-queue.ts'
export { startWorker, type WorkerOptions } from './start-worker.ts'
export type { HostTransaction, PostgresTransaction, SqliteTransaction } from './store/host-transaction.ts'
export type { HeartbeatOutcome } from './store/ops.ts'
export type { AuditRow, BulkRow, FailureGroup, ListPage, MinuteRow, TypeRow, WorkerRow } from './store/records.ts'
export type { Change } from './store/store.ts'
export { type Handler, type JobContext, Stopped, type StopReason } from './worker/handler.ts'
export { lineOf, type WorkerEvent, type WorkerEventKind } from './worker/lines.ts'
export { BadExit, Cancel, FailForGood, RetryLater } from './worker/outcomes.ts'
export type { Worker } from './worker/worker.ts'

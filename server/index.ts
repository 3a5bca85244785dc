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
export type {
  Defaults,
  EffectiveSettings,
  QueueSettings,
  QueueSettingsInput,
  TypeSettings,
  TypeSettingsInput,
} from '../shared/settings.ts'
export { type JobKind, type Kind, STATUSES, type Status, type StatusCounts } from '../shared/status.ts'
export type { TaskStatus } from '../shared/vocabulary.ts'
export type { WebhookBody } from '../shared/webhooks.ts'
export type { EventFrame } from './api/event-frames/event-frames.ts'
export type { AppRouter } from './api/router.ts'
export type { Clock } from './base/clock.ts'
export { type Config, readConfig } from './base/config/config.ts'
export type { HostHandle } from './compose/host-database.ts'
export { type OpenOptions, openEngine } from './compose/open-engine.ts'
export type { JobOutcome, ResultsAnswer } from './engine/claims/results.ts'
export type { Engine, Events } from './engine/engine.ts'
export type { QueueEvent, Told } from './engine/events.ts'
export type { Explanation } from './engine/verbs/explain/explain.ts'
export type { QueueFacts } from './engine/verbs/observe.ts'
export type { Actor } from './engine/verbs/operate.ts'
export type { Percentiles, Stats } from './engine/verbs/stats.ts'
export type { ClaimContext, SettleOutcome } from './engine/verbs/work.ts'
export type { Authorize, Visitor } from './http/auth/visitors.ts'
export { createDashboard, type Dashboard, type DashboardOptions } from './http/dashboard/create-dashboard.ts'
export type { Address, Queue } from './queue/queue.ts'
export type { Handlers } from './sdk/checked-handlers.ts'
export type {
  Client,
  ClientJobs,
  ClientOptions,
  TransactionalClient,
  TransactionalClientOptions,
} from './sdk/create-client.ts'
export { createWorker, type TypedWorkerOptions } from './sdk/create-worker.ts'
export { createClient, type DeclaringClient } from './sdk/declaring-client.ts'
export { defineJobs } from './sdk/jobs/define-jobs.ts'
export type { JobDefinition, JobDefinitions, JobSettings } from './sdk/jobs/definition.ts'
export { JobNotCompleted } from './sdk/jobs/job-not-completed.ts'
export { ResultTimeout, type WaitOptions } from './sdk/jobs/job-results.ts'
export type { Schema } from './sdk/jobs/standard-schema.ts'
export type {
  EnqueuedJob,
  EnqueueManyOptions,
  EnqueueOptions as ClientEnqueueOptions,
  JobHandle,
  TransactionalTypedQueue,
  TypedQueue,
} from './sdk/jobs/typed-queue.ts'
export { type OpenQueueOptions, openQueue } from './sdk/open-queue.ts'
export type { HostTransaction, PostgresTransaction, SqliteTransaction } from './store/host-transaction.ts'
export type { HeartbeatOutcome } from './store/ops.ts'
export type { AuditRow, BulkRow, FailureGroup, ListPage, MinuteRow, TypeRow, WorkerRow } from './store/records.ts'
export type { Change } from './store/store.ts'
export { lineOf, type WorkerEvent, type WorkerEventKind } from './worker/events.ts'
export { type Handler, type JobContext, Stopped, type StopReason } from './worker/jobs/handler.ts'
export { BadExit, Cancel, FailForGood, RetryLater } from './worker/jobs/handler-errors.ts'
export { startWorker, type WorkerOptions } from './worker/start-worker.ts'
export type { Worker } from './worker/worker.ts'

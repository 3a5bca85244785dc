/**
 * Main entry: typed jobs, clients, workers and queues.
 * It loads a database driver or Express on first use. `tq` has a separate entry, because it opens a SQLite file synchronously.
 */

export type {
  GroupKeyInput,
  GroupKeysInput,
  GroupOrder,
  GroupRate,
  GroupRules,
  GroupSettings,
  GroupsInput,
  GroupUpdateInput,
  OnDead,
  WhenFull,
} from '../shared/contracts/groups.ts'
export type * from '../shared/contracts/observe.ts'
export type * from '../shared/contracts/operate.ts'
export type * from '../shared/contracts/produce.ts'
export type * from '../shared/contracts/schedules.ts'
export type * from '../shared/contracts/work.ts'
export { type ErrorCode, QueueError } from '../shared/errors.ts'
export type { Explanation } from '../shared/explanation.ts'
export { GroupBusy } from '../shared/group-busy.ts'
export type { GroupKeyPage, GroupKeyRow, GroupPage, GroupRow } from '../shared/groups/records.ts'
export type { EffectiveGroupRules, KeyRules } from '../shared/groups/rules.ts'
export type { HostTransaction, PostgresTransaction, SqliteTransaction } from '../shared/host-transaction.ts'
export type * from '../shared/job.ts'
export type { HeartbeatOutcome, JobOutcome, ResultsAnswer, SettleOutcome } from '../shared/outcomes.ts'
export type { Actor, Address, ClaimContext, Queue } from '../shared/queue.ts'
export type { AuditRow, BulkRow, FailureGroup, ListPage, QueueFacts, TypeRow, WorkerRow } from '../shared/records.ts'
export type {
  CatchUp,
  DeclaredSchedules,
  EffectiveSchedule,
  JobTick,
  NextTick,
  Overlap,
  ScheduleDetails,
  ScheduleExplanation,
  SchedulePage,
  SchedulePause,
  SchedulePreview,
  ScheduleRow,
  ScheduleRun,
  ScheduleSettings,
  ScheduleState,
  ScheduleTick,
  TickOrigin,
  TickOutcome,
} from '../shared/schedules/schedule.ts'
export type {
  Backoff,
  BackoffInput,
  ExponentialBackoff,
  FixedBackoff,
  LinearBackoff,
} from '../shared/settings/backoff.ts'
export type {
  Defaults,
  EffectiveSettings,
  QueueSettings,
  QueueSettingsInput,
  TypeSettings,
  TypeSettingsInput,
} from '../shared/settings/settings.ts'
export type { WebhookBody } from '../shared/settings/webhooks.ts'
export type { MinuteRow, Percentiles, Stats } from '../shared/stats/stats.ts'
export { type JobKind, type Kind, STATUSES, type Status, type StatusCounts } from '../shared/status.ts'
export type { TaskStatus } from '../shared/vocabulary.ts'
export type { EventFrame } from './api/event-frames/event-frames.ts'
export type { AppRouter } from './api/router.ts'
export type { Clock } from './base/clock.ts'
export { type Config, readConfig } from './base/config/config.ts'
export type { HostHandle } from './compose/host-database.ts'
export { type OpenOptions, openEngine } from './compose/open-engine.ts'
export type { Engine } from './engine/engine.ts'
export type { EmittedEvent, Events, QueueEvent } from './engine/events.ts'
export type { Authorize, DashboardUser } from './http/auth/application-users.ts'
export type { Handlers } from './sdk/checked-handlers.ts'
export type {
  Client,
  ClientJobs,
  ClientOptions,
  TransactionalClient,
  TransactionalClientOptions,
} from './sdk/create-client.ts'
export { createDashboard, type Dashboard, type DashboardOptions } from './sdk/create-dashboard.ts'
export { createWorker, type TypedWorkerOptions } from './sdk/create-worker.ts'
export { createClient, type DeclaringClient } from './sdk/declaring-client.ts'
export { defineJobs } from './sdk/jobs/define-jobs.ts'
export type { JobDefinition, JobDefinitions, JobGroup, JobSettings } from './sdk/jobs/definition.ts'
export type { GroupKeyOf } from './sdk/jobs/group-key.ts'
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
export {
  type DefineSchedulesOptions,
  defineSchedules,
  type ScheduleDefinition,
  type ScheduleDefinitions,
  type ScheduleOptions,
  type ScheduleRule,
  type Schedules,
} from './sdk/schedules/define-schedules.ts'
export type { Change } from './store/store.ts'
export { formatWorkerEvent, type WorkerEvent, type WorkerEventKind } from './worker/events.ts'
export { type Handler, type JobContext, Stopped, type StopReason } from './worker/jobs/handler.ts'
export { BadExit, Cancel, RetryLater, UnrecoverableError } from './worker/jobs/handler-errors.ts'
export { startWorker, type WorkerOptions } from './worker/start-worker.ts'
export type { Worker } from './worker/worker.ts'

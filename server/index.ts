/** The package entry: everything an application may import. */

export type { Backoff } from '../shared/backoff.ts'
export type * from '../shared/contracts.ts'
export { QueueError } from '../shared/errors.ts'
export type * from '../shared/job.ts'
export { STATUSES, type Status, type StatusCounts } from '../shared/status.ts'
export type { QueueSettings, TypeSettings } from '../shared/type-settings.ts'
export { type OpenOptions, openEngine } from './compose.ts'
export { type Config, readConfig } from './config.ts'
export type { Engine } from './engine/engine.ts'
export type { QueueEvent, Told } from './engine/events.ts'

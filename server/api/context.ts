/** The context of a procedure call. */
import type { BackupRecord } from '../../shared/records.ts'
import type { Engine } from '../engine/engine.ts'
import type { Caller } from './caller.ts'
import type { BatchedReads } from './calls/batched-reads.ts'
import type { EventFrames } from './event-frames/event-frames.ts'

/** Backups of the database, made by the server. */
export interface Backups {
  make(name?: string): Promise<BackupRecord>
}

/** What a request did, for its log line and the metrics. */
export interface Tally {
  /** Rows in the response. */
  rows: number
  /** Set by a batch: how many of its operations ended with each HTTP status. */
  operations?: ReadonlyMap<number, number>
}

export interface ApiContext {
  readonly engine: Engine
  readonly frames: EventFrames
  readonly caller: Caller
  /** True for the only call of its request. */
  readonly isAlone: boolean
  /** False in a batch of several calls: a batch responds with its slowest call, so none of them may wait. */
  readonly mayWait: boolean
  /** In a tRPC batch whose response is sent as a whole: bounds what its reads return. */
  readonly batchedReads?: BatchedReads | undefined
  /** The `traceparent` of the request, for jobs without one. */
  readonly traceparent?: string | undefined
  /** Undefined where no server can make backups. */
  readonly backups?: Backups | undefined
  /** Reports server faults that a response contains next to successes. */
  readonly report: (error: unknown, about?: Readonly<Record<string, unknown>>) => void
  readonly tally: Tally
}

/** What a procedure knows besides its input. */
import type { Engine } from '../engine/engine.ts'
import type { Caller } from './caller.ts'
import type { EventFrames } from './event-frames/event-frames.ts'

export interface MadeBackup {
  readonly name: string
  /** Where the server put it. */
  readonly file: string
  readonly bytes: number
  readonly jobs: number
}

/** Copies of the database, made by the server that runs on it. */
export interface Backups {
  make(name?: string): Promise<MadeBackup>
}

export interface ApiContext {
  readonly engine: Engine
  readonly frames: EventFrames
  readonly caller: Caller
  /** The only call of its request. */
  readonly isAlone: boolean
  /** A batch answers with its slowest call: in a batch of several nobody waits. */
  readonly mayWait: boolean
  /** Of the request: for jobs that name none of their own. */
  readonly traceparent?: string | undefined
  /** Where a server could make one. */
  readonly backups?: Backups | undefined
  /** For faults of ours that an answer carries beside successes. */
  readonly report: (error: unknown) => void
  /** For the request log. */
  readonly tally: { rows: number }
}

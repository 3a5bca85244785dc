/** The write operations of the store, and the value that each returns. */
import type { GroupRules, WhenFull } from '../../shared/contracts/groups.ts'
import type { JobFilter } from '../../shared/contracts/observe.ts'
import type { BulkAction } from '../../shared/contracts/operate.ts'
import type { AboutWorker } from '../../shared/contracts/work.ts'
import type { QueueError } from '../../shared/errors.ts'
import type { ActionResult, DedupeUntil, EnqueueResult, LogStream, SettleResult } from '../../shared/job.ts'
import type { Failure } from '../../shared/lifecycle.ts'
import type { HeartbeatOutcome } from '../../shared/outcomes.ts'
import type { BackfillRange } from '../../shared/records.ts'
import type { JobTick, ScheduleTick } from '../../shared/schedules/schedule.ts'
import type { Backoff } from '../../shared/settings/backoff.ts'
import type { QueueSettings, TypeSettings } from '../../shared/settings/settings.ts'
import type { Kind, TerminalStatus } from '../../shared/status.ts'
import type { ScheduleColumns } from './rows/schedule-rows.ts'
import type { TokenOps } from './token-ops.ts'

/** A job from the engine: with an id and an encoded payload. `delayMs` is relative to the commit. */
export interface NewJob {
  readonly id: string
  readonly type: string
  readonly kind: Kind
  readonly payload: string
  readonly priority: number
  readonly delayMs: number | null
  readonly runAt: number | null
  readonly maxAttempts: number | null
  readonly timeoutMs: number | null
  readonly backoff: Backoff | null
  readonly dedupeKey: string | null
  readonly dedupeUntil: DedupeUntil
  readonly expiresAt: number | null
  readonly face: string
  readonly traceparent: string | null
  /** null: the group of its type. */
  readonly groupName: string | null
  /** null: the key that the type's JSON pointer finds in the payload, if it declares one; otherwise the job has no group. */
  readonly groupKey: string | null
  /** null: the rule of the group. */
  readonly whenFull: WhenFull | null
  /** Of a job that a schedule enqueues. */
  readonly tick?: JobTick
}

export interface Lease {
  readonly id: string
  readonly version: number
}

/** A claimed job, with its payload as JSON text. */
export interface ClaimedRow {
  readonly seq: number
  readonly id: string
  readonly type: string
  readonly payload: string
  readonly version: number
  readonly attempts: number
  readonly maxAttempts: number
  readonly crashes: number
  readonly priority: number
  readonly runAt: number
  readonly createdAt: number
  readonly startedAt: number
  readonly leaseUntil: number
  readonly timeoutMs: number | null
  readonly traceparent: string | null
  /** A JobTick as JSON text. */
  readonly tick: string | null
}

export interface ClaimOutcome {
  readonly jobs: readonly ClaimedRow[]
  /** When claiming again could succeed without an event: a rate-limit token or a due time. null: only after an event. */
  readonly nextEligibleAt: number | null
  /** This worker is draining: other workers may take the jobs that it was woken for. */
  readonly draining?: true
  /** Jobs were left for other workers, or until this one is idle: other workers may take the jobs that it was woken for. */
  readonly passedOver?: true
}

export interface BulkOutcome {
  readonly changed: number
  readonly skipped: number
}

/** One tick to record, with its job. */
export interface NewTick extends Pick<ScheduleTick, 'at' | 'dueAt' | 'origin' | 'outcome' | 'missed' | 'note'> {
  /** null: no job is enqueued. */
  readonly job: NewJob | null
}

interface OpTable extends TokenOps {
  // Settle.
  complete: {
    op: Lease & { readonly result: string | null; readonly durationMs?: number | undefined }
    value: SettleResult
  }
  fail: { op: Lease & { readonly failure: Failure }; value: SettleResult }
  /** `groupBusy`: no job of the key becomes pending for `delayMs` either. */
  release: { op: Lease & { readonly delayMs: number; readonly groupBusy?: boolean }; value: SettleResult }
  heartbeat: {
    op: { readonly worker: string; readonly leases: readonly Lease[]; readonly leaseMs: number | null }
    value: HeartbeatOutcome
  }
  progress: { op: Lease & { readonly progress: number }; value: null }
  log: {
    op: Lease & { readonly lines: readonly { readonly stream: LogStream; readonly line: string }[] }
    value: null
  }
  // Operator actions. With `actor` there is an audit entry.
  jobAction: {
    op: { readonly action: BulkAction; readonly id: string; readonly actor: string | null }
    value: ActionResult
  }
  cleanup: {
    op: {
      readonly status: readonly TerminalStatus[]
      /** null: the retention of the type. */
      readonly olderThanMs: number | null
      readonly type: string | null
      readonly limit: number
      /** Started by upkeep, not by a caller: waits while the clock is not trusted, then removes in small steps for a while. */
      readonly upkeep?: true
    }
    value: { readonly removed: number; readonly more: boolean }
  }
  declareTypes: {
    /** With `actor` there is an audit entry for each type that changes. */
    op: {
      readonly types: readonly { readonly name: string; readonly kind: Kind; readonly declared: TypeSettings }[]
      readonly actor?: string
    }
    value: null
  }
  overrideType: {
    /** Keys in `clear` lose their override: the declared value counts again. */
    op: {
      readonly name: string
      readonly set: TypeSettings
      readonly clear: readonly (keyof TypeSettings)[]
      readonly actor: string
    }
    value: null
  }
  putSettings: {
    op: { readonly set: QueueSettings; readonly clear: readonly (keyof QueueSettings)[]; readonly actor: string }
    value: null
  }
  /** Overrides rules of a group (key null) or of one key. Keys in `clear` lose their override. `resume`: a stopped key continues. */
  updateGroup: {
    op: {
      readonly name: string
      readonly key: string | null
      readonly set: GroupRules
      readonly clear: readonly (keyof GroupRules)[]
      readonly resume: boolean
      readonly actor: string
    }
    value: null
  }
  /** With `types`: replaces what is stored about the worker. null: only updates the time. */
  seeWorker: {
    op: { readonly worker: string; readonly types: readonly string[] | null; readonly about?: AboutWorker | undefined }
    value: null
  }
  drainWorker: { op: { readonly worker: string; readonly drain: boolean; readonly actor: string }; value: null }
  audit: {
    op: { readonly actor: string; readonly action: string; readonly target: string | null; readonly details: unknown }
    value: null
  }
  bulkStart: {
    op: {
      readonly id: string
      readonly action: BulkAction
      readonly filter: JobFilter
      readonly undoMs: number
      readonly actor: string
    }
    value: null
  }
  /**
   * One chunk: the ids that a read found, each checked again. `cursor`: the start of the next read, null at the end. `from`: the
   * start of this one; if the stored cursor differs, another leader has done this chunk, and nothing happens.
   */
  bulkApply: {
    op: {
      readonly id: string
      readonly from: number
      readonly jobs: readonly string[]
      readonly cursor: number | null
    }
    value: BulkOutcome
  }
  bulkCancel: { op: { readonly id: string; readonly actor: string }; value: null }
  bulkUndo: { op: { readonly id: string; readonly actor: string }; value: null }
  /** One chunk of an undo; `more` until all jobs are restored. */
  bulkRevert: { op: { readonly id: string; readonly limit: number }; value: { readonly more: boolean } }
  // Leadership of upkeep.
  /** `takeOver`: takes leadership from another holder, which stops or finds out at its next call. */
  lead: {
    op: { readonly holder: string; readonly ttlMs: number; readonly takeOver: boolean }
    value: { readonly leads: boolean }
  }
  resign: { op: { readonly holder: string }; value: null }
  /** Jobs per type at the end of a minute. The row of all types (type '') marks the minute as complete. */
  recordDepths: { op: { readonly minute: number; readonly depths: readonly TypeDepth[] }; value: null }
  /** Old minutes, depths, workers, audit entries and undo records. */
  trim: {
    op: {
      readonly minutesOlderThanMs: number
      readonly depthsOlderThanMs: number
      readonly workersOlderThanMs: number
      readonly auditOlderThanMs: number
      readonly limit: number
    }
    value: { readonly more: boolean }
  }
  // Schedules.
  /** One change of a schedule with the jobs of its ticks. Nothing happens unless the stored row is the expected one. */
  schedule: {
    op: {
      readonly name: string
      /** The row that the change was decided on; null: none. */
      readonly expect: Pick<ScheduleColumns, 'revision' | 'nextTickAt'> | null
      /** Columns to write; null: deletes the schedule. */
      readonly set: Partial<Omit<ScheduleColumns, 'name'>> | null
      /** Of a tick: it is processed from this instant on, by the clock of the store, if that clock is trusted. null: an action. */
      readonly dueAt: number | null
      /** Of a tick: the schedule ends after this many runs. null: no limit. */
      readonly maxRuns: number | null
      readonly ticks: readonly NewTick[]
      readonly entry: Pick<OpOf<'audit'>, 'actor' | 'action' | 'details'> | null
    }
    value: { readonly changed: boolean; readonly ticks: readonly ScheduleTick[] }
  }
  /** Starts a bulk operation that enqueues the ticks of a schedule. */
  backfillStart: {
    op: {
      readonly id: string
      readonly type: string
      readonly range: BackfillRange
      readonly undoMs: number
      readonly actor: string
    }
    value: null
  }
  /** One chunk of a backfill; `from` and `cursor`: the last tick of the chunk before, and of this one (null: it is the last chunk). */
  backfillApply: {
    op: {
      readonly id: string
      readonly from: number
      readonly cursor: number | null
      readonly ticks: readonly NewTick[]
    }
    value: BulkOutcome
  }
  // Insert: all of its jobs or none.
  enqueue: { op: { readonly jobs: readonly NewJob[] }; value: readonly EnqueueResult[] }
  // Promote and rescue.
  promote: { op: { readonly limit: number }; value: { readonly more: boolean } }
  /** Admits blocked jobs of up to `limit` keys that have room, after rules changed or a limit was raised. */
  admitBlocked: { op: { readonly limit: number }; value: { readonly more: boolean } }
  rescue: { op: { readonly limit: number }; value: { readonly rescued: number; readonly more: boolean } }
  /** Restarts every lease from now: an outage of the server or a clock jump must not cost attempts. */
  renewLeases: { op: object; value: { readonly renewed: number } }
  // Claim.
  claim: {
    op: {
      readonly worker: string
      /** The process that the worker runs in, if known. */
      readonly process?: string
      readonly types: readonly string[] | null
      /** Only types of this kind. Default: all listed types, or without `types` those of kind `job`. */
      readonly kindOfType?: Kind
      readonly limit: number
      readonly leaseMs: number | null
      readonly requestId: string | null
      readonly settle: boolean
    }
    value: ClaimOutcome
  }
}

export interface TypeDepth {
  readonly type: string
  /** Jobs that can be claimed. */
  readonly ready: number
  /** Jobs that are not finished. */
  readonly backlog: number
}

export type OpKind = keyof OpTable
export type OpOf<K extends OpKind> = { readonly kind: K } & OpTable[K]['op']
export type Op = { [K in OpKind]: OpOf<K> }[OpKind]
export type OpValue<K extends OpKind> = OpTable[K]['value']

/** One per operation, in the same order. A refused operation changed nothing. */
export type Outcome<Value = unknown> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly error: QueueError }

/** The operations that can cross the store seam, and what each one gives back. */
import type { Backoff } from '../../shared/backoff.ts'
import type { JobFilter } from '../../shared/contracts/observe.ts'
import type { BulkAction } from '../../shared/contracts/operate.ts'
import type { Token } from '../../shared/contracts/tokens.ts'
import type { AboutWorker } from '../../shared/contracts/work.ts'
import type { QueueError } from '../../shared/errors.ts'
import type { ActResult, DedupeUntil, EnqueueResult, LogStream, SettleResult } from '../../shared/job.ts'
import type { Failure } from '../../shared/lifecycle.ts'
import type { Scope } from '../../shared/scopes.ts'
import type { QueueSettings, TypeSettings } from '../../shared/settings.ts'
import type { Kind, TerminalStatus } from '../../shared/status.ts'

/** A job as the engine hands it over: id made, payload encoded, time still relative where the caller said so. */
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
  readonly concurrencyKey: string | null
}

export interface Lease {
  readonly id: string
  readonly version: number
}

/** A claimed job as the store gives it: the payload is still text. */
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
}

export interface ClaimOutcome {
  readonly jobs: readonly ClaimedRow[]
  /** When asking again could succeed with no further event: a token, a due time. null: only an event can help. */
  readonly nextEligibleAt: number | null
  /** This worker is to finish and go: others may take what it was woken for. */
  readonly draining?: true
  /** Jobs were left for another worker, or until this one runs nothing else: others may take what it was woken for. */
  readonly passedOver?: true
}

/** What became of the leases that a worker wanted to keep. */
export interface HeartbeatOutcome {
  /** Ids of the jobs whose lease was extended. */
  readonly extended: readonly string[]
  /** Ids of the jobs that this worker no longer holds. */
  readonly lost: readonly string[]
  /** Extended as well, but an operator wants them stopped. */
  readonly cancelled: readonly string[]
  /** An operator wants this worker to finish and go. */
  readonly draining: boolean
}

export interface BulkOutcome {
  readonly changed: number
  readonly skipped: number
}

interface OpTable {
  // Settle.
  complete: {
    op: Lease & { readonly result: string | null; readonly durationMs?: number | undefined }
    value: SettleResult
  }
  fail: { op: Lease & { readonly failure: Failure }; value: SettleResult }
  release: { op: Lease & { readonly delayMs: number }; value: SettleResult }
  heartbeat: {
    op: { readonly worker: string; readonly leases: readonly Lease[]; readonly leaseMs: number | null }
    value: HeartbeatOutcome
  }
  progress: { op: Lease & { readonly progress: number }; value: null }
  log: {
    op: Lease & { readonly lines: readonly { readonly stream: LogStream; readonly line: string }[] }
    value: null
  }
  // Operator acts; `actor` makes an audit entry.
  act: {
    op: { readonly verb: BulkAction; readonly id: string; readonly actor: string | null }
    value: ActResult
  }
  cleanup: {
    op: {
      readonly status: readonly TerminalStatus[]
      /** null: what the type's retention says. */
      readonly olderThanMs: number | null
      readonly type: string | null
      readonly limit: number
      /** Started by upkeep, not by a caller: waits while the clock is not trusted, then removes in small steps for a while. */
      readonly upkeep?: true
    }
    value: { readonly removed: number; readonly more: boolean }
  }
  declareTypes: {
    /** Told in the audit trail where it changes something and `actor` is given. */
    op: {
      readonly types: readonly { readonly name: string; readonly kind: Kind; readonly declared: TypeSettings }[]
      readonly actor?: string
    }
    value: null
  }
  overrideType: {
    /** Keys set to undefined-in-JSON, that is listed in `clear`, fall back to the declared value. */
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
  /** With `types`, all that it said about itself just now; without (null), what was known of it holds. */
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
   * One chunk: the ids a read found, re-checked one by one; `cursor` is where the next read goes on, null at the end. `from` is
   * where this one started: if the operation is elsewhere by now, another leader has done it and nothing happens.
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
  /** One chunk of undoing; `more` until all is restored. */
  bulkRevert: { op: { readonly id: string; readonly limit: number }; value: { readonly more: boolean } }
  // Who may come in.
  createToken: {
    op: {
      readonly id: string
      readonly name: string
      readonly hash: string
      readonly scopes: readonly Scope[]
      readonly typePrefix: string | null
      readonly expiresInMs: number | null
      readonly actor: string
    }
    value: Token
  }
  revokeToken: { op: { readonly id: string; readonly actor: string }; value: { readonly changed: boolean } }
  /** They were used just now. */
  useTokens: { op: { readonly ids: readonly string[] }; value: null }
  /** Forgets, while it is at it, the sessions that have been idle for longer. */
  openSession: {
    op: {
      readonly id: string
      readonly tokenId: string | null
      readonly proof: string | null
      readonly idleMs: number
      readonly actor: string
      readonly details: unknown
    }
    value: null
  }
  seeSession: { op: { readonly id: string }; value: null }
  closeSession: { op: { readonly id: string; readonly actor: string }; value: { readonly changed: boolean } }
  // Leadership of upkeep.
  /** `takeOver`: whoever holds it now is gone, or will learn that it lost. */
  lead: {
    op: { readonly holder: string; readonly ttlMs: number; readonly takeOver: boolean }
    value: { readonly leads: boolean }
  }
  resign: { op: { readonly holder: string }; value: null }
  /** How many jobs types had at the end of this minute; the row of all types (type '') says that none is missing. */
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
  // Insert: all of its jobs or none.
  enqueue: { op: { readonly jobs: readonly NewJob[] }; value: readonly EnqueueResult[] }
  // Promote and rescue.
  promote: { op: { readonly limit: number }; value: { readonly more: boolean } }
  rescue: { op: { readonly limit: number }; value: { readonly rescued: number; readonly more: boolean } }
  /** Every lease starts over from now: an outage or a clock jump of ours must not burn their attempts. */
  renewLeases: { op: object; value: { readonly renewed: number } }
  // Claim.
  claim: {
    op: {
      readonly worker: string
      /** The process that the worker runs in, if it says so. */
      readonly process?: string
      readonly types: readonly string[] | null
      /** Only types of this kind; without it those that are named, or every type of kind `job`. */
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

/** One per operation, in the order given. A refused operation changed nothing. */
export type Outcome<Value = unknown> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly error: QueueError }

/** The order inside one commit, whatever the order of arrival: what frees comes before what takes. */
const PHASES: Partial<Record<OpKind, number>> = { enqueue: 1, promote: 2, rescue: 2, renewLeases: 2, claim: 3 }

export function phaseOf(kind: OpKind): number {
  return PHASES[kind] ?? 0
}

/** Indexes in the order of the phases; within one, in order of arrival. Most commits hold operations of one phase only. */
export function inPhases(ops: readonly Op[]): Iterable<number> {
  const phases: number[][] = [[], [], [], []]
  for (let index = 0; index < ops.length; index++) {
    const op = ops[index]
    if (op) phases[phaseOf(op.kind)]?.push(index)
  }
  return phases.find((phase) => phase.length === ops.length) ?? phases.flat()
}

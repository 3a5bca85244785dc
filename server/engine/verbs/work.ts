/** What workers say: claim, exchange, heartbeat, settle, progress and log. */
import type { z } from 'zod'
import {
  type CancellationsInput,
  type ClaimInput,
  type CompleteInput,
  cancellationsInput,
  claimInput,
  completeInput,
  type ExchangeInput,
  exchangeInput,
  type FailInput,
  failInput,
  type HeartbeatInput,
  heartbeatInput,
  type LogInput,
  logInput,
  type ProgressInput,
  progressInput,
  type ReleaseInput,
  releaseInput,
  type settleInput,
} from '../../../shared/contracts/work.ts'
import { QueueError } from '../../../shared/errors.ts'
import type { ClaimedJob, SettleResult } from '../../../shared/job.ts'
import { encodeResult, sanitise } from '../../../shared/json/text.ts'
import { limits } from '../../../shared/limits.ts'
import type { Clock } from '../../base/clock.ts'
import type { ClaimedRow, ClaimOutcome, HeartbeatOutcome, Op, OpOf, Outcome } from '../../store/ops.ts'
import type { Cancellations, CancellationsAnswer } from '../claims/cancellations.ts'
import type { RequestsInFlight } from '../claims/claim-requests.ts'
import { toClaimedJob } from '../claims/claimed-job.ts'
import type { Waiters } from '../claims/waiters.ts'
import { type GroupCommit, noOutcome, takeValue } from '../commit/group-commit.ts'
import type { StoreTime } from '../commit/store-time.ts'
import type { WorkerRegistry } from '../services/worker-registry.ts'
import { parseInput } from './input.ts'

/** What a claim may be given besides its input. */
export interface ClaimContext {
  /** Aborted when the caller is gone: what cannot be delivered is released, uncounted. */
  readonly signal?: AbortSignal | undefined
}

/** Taken just before the response is sent, so that a worker can tell how old its leases are without comparing clocks. */
export interface ClaimTiming {
  /** Since the request arrived. */
  readonly elapsedMs: number
  /** The queue's clock, by which `startedAt` and `leaseUntil` are set. */
  readonly now: number
}

export interface Exchanged {
  readonly settled: readonly SettleOutcome[]
  readonly jobs: readonly ClaimedJob[]
  /** With jobs only. */
  readonly timing?: ClaimTiming | undefined
}

export interface CallContext {
  /** Aborted when the caller no longer waits for the response. */
  readonly signal?: AbortSignal | undefined
}

/** What became of one outcome that was sent: recorded, or refused with an error. */
export type SettleOutcome =
  | { readonly ok: true; readonly value: SettleResult }
  | { readonly ok: false; readonly error: QueueError }

export interface Working {
  /** Claims jobs under a lease; with `waitMs` it waits for one. */
  claim(input: ClaimInput, context?: ClaimContext): Promise<readonly ClaimedJob[]>
  /** Records outcomes and claims new jobs in one transaction. */
  exchange(input: ExchangeInput, context?: ClaimContext): Promise<Exchanged>
  /** Extends leases, and reports which were lost or cancelled and whether the worker should drain. */
  heartbeat(input: HeartbeatInput, context?: CallContext): Promise<HeartbeatOutcome>
  /** Resolves when one of the leased jobs is cancelled, or after `waitMs`: sooner than the next heartbeat would say so. */
  cancellations(input: CancellationsInput, context?: CallContext): Promise<CancellationsAnswer>
  /** Records success; STALE_CLAIM when the job was claimed again meanwhile. */
  complete(input: CompleteInput): Promise<SettleResult>
  /** Records a failed attempt; the job is retried after its backoff unless it was the last attempt. */
  fail(input: FailInput): Promise<SettleResult>
  /** Gives a job back without counting the attempt. */
  release(input: ReleaseInput): Promise<SettleResult>
  /** Stores how far a running job is, in percent. */
  progress(input: ProgressInput, context?: CallContext): Promise<void>
  /** Adds lines to the log of a running job. */
  log(input: LogInput, context?: CallContext): Promise<void>
}

export interface WorkingParts {
  readonly cancellations: Cancellations
  readonly commits: GroupCommit
  readonly waiters: Waiters
  readonly registry: WorkerRegistry
  readonly requests: RequestsInFlight
  readonly giveBack: (op: OpOf<'claim'>, jobs: readonly ClaimedRow[]) => void
  readonly random: () => number
  readonly maxPayloadBytes: number
  readonly clock: Clock
  readonly time: StoreTime
}

type ClaimParams = Omit<z.output<typeof claimInput>, 'worker'>
type SettleParams = z.output<typeof settleInput>

export function createWorking(parts: WorkingParts): Working {
  const { cancellations, commits, waiters, registry, requests, giveBack, random, maxPayloadBytes, clock, time } = parts

  const failOp = ({ id, version, error, ...rest }: z.output<typeof failInput>): OpOf<'fail'> => ({
    kind: 'fail',
    id,
    version,
    failure: {
      error,
      stack: rest.stack,
      retry: rest.retry,
      retryInMs: rest.retryInMs ?? null,
      cancel: rest.cancel,
      exitCode: rest.exitCode ?? null,
      durationMs: rest.durationMs,
      random: random(),
    },
  })

  const settleOp = (settle: SettleParams): Op => {
    const { id, version } = settle
    switch (settle.kind) {
      case 'complete':
        return {
          kind: 'complete',
          id,
          version,
          result: encodeResult(settle.result, maxPayloadBytes),
          durationMs: settle.durationMs,
        }
      case 'release':
        return { kind: 'release', id, version, delayMs: settle.delayMs }
      case 'fail':
        return failOp(settle)
    }
  }

  const claimOp = (worker: string, params: ClaimParams): OpOf<'claim'> => ({
    kind: 'claim',
    worker,
    ...(params.about?.process !== undefined && { process: params.about.process }),
    types: params.types ?? null,
    ...(params.kind && { kindOfType: params.kind }),
    limit: params.limit,
    leaseMs: params.leaseMs ?? null,
    requestId: params.requestId ?? null,
    settle: params.settle,
  })

  /** What a claim's commit gave, or what it gets by waiting; given back if the caller is gone. */
  function deliver(
    op: OpOf<'claim'>,
    { jobs, nextEligibleAt, passedOver }: ClaimOutcome,
    waitMs: number,
    signal: AbortSignal | undefined,
  ): readonly ClaimedRow[] | Promise<readonly ClaimedRow[]> {
    if (signal?.aborted) {
      giveBack(op, jobs)
      return []
    }
    if (jobs.length > 0 || waitMs === 0) return jobs
    return waiters.wait(op, { waitMs, signal, nextEligibleAt, passedOver })
  }

  const begin = (op: OpOf<'claim'> | null): (() => void) => {
    const done = requests.begin(op)
    if (op) waiters.replace(op.requestId)
    return done
  }

  const submitAll = (ops: readonly Op[]) => (ops.length === 0 ? Promise.resolve([]) : commits.submitAll(ops))

  return {
    async claim(input, { signal } = {}) {
      const { worker, ...params } = parseInput(claimInput, input)
      if (signal?.aborted) return []
      const op = claimOp(worker, params)
      const seen = registry.claims(worker, op.types ?? [], params.about)
      const done = begin(op)
      try {
        const outcome =
          seen.length === 0
            ? await commits.submit<'claim'>(op)
            : takeValue<'claim'>((await commits.submitAll([...seen, op])).at(-1))
        const rows = deliver(op, outcome, params.waitMs, signal)
        return (rows instanceof Promise ? await rows : rows).map(toClaimedJob)
      } finally {
        done()
      }
    },
    async exchange(input, { signal } = {}) {
      const arrivedAt = clock.monotonic()
      const { worker, settle, claim } = parseInput(exchangeInput, input)
      const prepared = settle.map((one) => attempt(() => settleOp(one)))
      const ops: Op[] = prepared.flatMap((one) => (one.ok ? [one.value] : []))
      const op = claim && !signal?.aborted ? claimOp(worker, claim) : null
      const done = begin(op)
      try {
        const outcomes = await submitAll(
          op ? [...ops, ...registry.claims(worker, op.types ?? [], claim?.about), op] : ops,
        )
        const written = outcomes.slice(0, ops.length).map(settleOutcome)
        const settled = prepared.map((one) => (one.ok ? (written.shift() ?? missingOutcome()) : one))
        if (!op || !claim) return { settled, jobs: [] }
        const rows = await deliver(op, takeValue<'claim'>(outcomes.at(-1)), claim.waitMs, signal)
        if (rows.length === 0) return { settled, jobs: [] }
        const timing = { elapsedMs: Math.floor(clock.monotonic() - arrivedAt), now: time.now() }
        return { settled, jobs: rows.map(toClaimedJob), timing }
      } finally {
        done()
      }
    },
    async heartbeat(input) {
      const { worker, leases, leaseMs } = parseInput(heartbeatInput, input)
      const op: OpOf<'heartbeat'> = { kind: 'heartbeat', worker, leases, leaseMs: leaseMs ?? null }
      const outcomes = await commits.submitAll([...registry.beats(worker), op])
      return takeValue<'heartbeat'>(outcomes.at(-1))
    },
    async cancellations(input, { signal } = {}) {
      return cancellations.read({ ...parseInput(cancellationsInput, input), signal })
    },
    async complete(input) {
      const { id, version, result, durationMs } = parseInput(completeInput, input)
      return commits.submit<'complete'>({
        kind: 'complete',
        id,
        version,
        result: encodeResult(result, maxPayloadBytes),
        durationMs,
      })
    },
    async fail(input) {
      return commits.submit<'fail'>(failOp(parseInput(failInput, input)))
    },
    async release(input) {
      return commits.submit<'release'>({ kind: 'release', ...parseInput(releaseInput, input) })
    },
    async progress(input) {
      await commits.submit<'progress'>({ kind: 'progress', ...parseInput(progressInput, input) })
    },
    async log(input) {
      const { id, version, lines } = parseInput(logInput, input)
      const clean = lines.map(({ stream, line }) => ({ stream, line: sanitise(line, limits.logLineLength) }))
      await commits.submit<'log'>({ kind: 'log', id, version, lines: clean })
    },
  }
}

/** One result that cannot be stored must not keep the others from being settled. */
function attempt<Value>(prepare: () => Value): { ok: true; value: Value } | { ok: false; error: QueueError } {
  try {
    return { ok: true, value: prepare() }
  } catch (error) {
    if (error instanceof QueueError) return { ok: false, error }
    throw error
  }
}

function missingOutcome(): never {
  throw noOutcome()
}

function settleOutcome(outcome: Outcome): SettleOutcome {
  return outcome.ok ? { ok: true, value: takeValue<'complete'>(outcome) } : outcome
}

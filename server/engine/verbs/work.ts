/** Verbs of workers: claim, exchange, heartbeat, settle, progress and log. */
import { QueueError } from '../../../shared/errors.ts'
import { encodeResult, sanitise } from '../../../shared/json/text.ts'
import { limits } from '../../../shared/limits.ts'
import type { SettleOutcome } from '../../../shared/outcomes.ts'
import type { Params, ParsedVerbs } from '../../../shared/verbs/verb-inputs.ts'
import type { Clock } from '../../base/clock.ts'
import type { ClaimedRow, ClaimOutcome, Op, OpOf, Outcome } from '../../store/ops.ts'
import { type GroupCommit, noOutcome, takeValue } from '../commit/group-commit.ts'
import type { StoreTime } from '../commit/store-time.ts'
import type { WorkerRegistry } from '../services/worker-registry.ts'
import type { Cancellations } from '../waiting/cancellations.ts'
import type { RequestsInFlight } from '../waiting/claim-requests.ts'
import { toClaimedJob } from '../waiting/claimed-job.ts'
import type { Waiters } from '../waiting/waiters.ts'

export interface WorkerVerbsParts {
  readonly cancellations: Cancellations
  readonly commits: GroupCommit
  readonly waiters: Waiters
  readonly registry: WorkerRegistry
  readonly requests: RequestsInFlight
  readonly releaseUndelivered: (op: OpOf<'claim'>, jobs: readonly ClaimedRow[]) => void
  readonly random: () => number
  readonly maxPayloadBytes: number
  readonly clock: Clock
  readonly time: StoreTime
}

type ClaimParams = Omit<Params<'claim'>, 'worker'>
type SettleParams = Params<'exchange'>['settle'][number]

type WorkerVerbs = Pick<
  ParsedVerbs,
  'cancellations' | 'claim' | 'complete' | 'exchange' | 'fail' | 'heartbeat' | 'log' | 'progress' | 'release'
>

export function createWorkerVerbs(parts: WorkerVerbsParts): WorkerVerbs {
  const {
    cancellations,
    commits,
    waiters,
    registry,
    requests,
    releaseUndelivered,
    random,
    maxPayloadBytes,
    clock,
    time,
  } = parts

  const failOp = ({ id, version, error, ...rest }: Params<'fail'>): OpOf<'fail'> => ({
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
        return { kind: 'release', id, version, delayMs: settle.delayMs, groupBusy: settle.groupBusy }
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

  /** Returns the jobs of a claim's commit, or waits for some. Releases them if the caller is gone. */
  function deliver(
    op: OpOf<'claim'>,
    { jobs, nextEligibleAt, passedOver }: ClaimOutcome,
    waitMs: number,
    signal: AbortSignal | undefined,
  ): readonly ClaimedRow[] | Promise<readonly ClaimedRow[]> {
    if (signal?.aborted) {
      releaseUndelivered(op, jobs)
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
    async claim({ worker, ...params }, { signal } = {}) {
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
    async exchange({ worker, settle, claim }, { signal } = {}) {
      const arrivedAt = clock.monotonic()
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
    async heartbeat({ worker, leases, leaseMs }) {
      const op: OpOf<'heartbeat'> = { kind: 'heartbeat', worker, leases, leaseMs: leaseMs ?? null }
      const outcomes = await commits.submitAll([...registry.beats(worker), op])
      return takeValue<'heartbeat'>(outcomes.at(-1))
    },
    async cancellations(params, { signal } = {}) {
      return cancellations.read({ ...params, signal })
    },
    async complete({ id, version, result, durationMs }) {
      return commits.submit<'complete'>({
        kind: 'complete',
        id,
        version,
        result: encodeResult(result, maxPayloadBytes),
        durationMs,
      })
    },
    async fail(params) {
      return commits.submit<'fail'>(failOp(params))
    },
    async release(params) {
      return commits.submit<'release'>({ kind: 'release', ...params })
    },
    async progress(params) {
      await commits.submit<'progress'>({ kind: 'progress', ...params })
    },
    async log({ id, version, lines }) {
      const clean = lines.map(({ stream, line }) => ({ stream, line: sanitise(line, limits.logLineLength) }))
      await commits.submit<'log'>({ kind: 'log', id, version, lines: clean })
    },
  }
}

/** A result that cannot be encoded fails alone: the other settlements of the exchange go on. */
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

/** Synchronous verbs for callers in this process: each is committed when it returns, and throws its error. */

import { workerName } from '../../../shared/contracts/fields.ts'
import type { ListParams } from '../../../shared/contracts/observe.ts'
import type { EnqueueInput } from '../../../shared/contracts/produce.ts'
import type { Attempt, EnqueueResult, Job, SettleResult } from '../../../shared/job.ts'
import type { ListPage } from '../../../shared/records.ts'
import type { EffectiveSettings } from '../../../shared/settings/settings.ts'
import { type StatusCounts, TERMINAL_STATUSES } from '../../../shared/status.ts'
import { parseInput } from '../../../shared/verbs/parse-input.ts'
import { PARSERS } from '../../../shared/verbs/verb-inputs.ts'
import type { DirectStore } from '../../store/direct-store.ts'
import type { ClaimedRow, Lease, Op, OpKind, OpOf, OpValue } from '../../store/ops.ts'
import { type GroupCommit, noOutcome, takeValue } from '../commit/group-commit.ts'
import { runTicksNow } from '../schedules/ticks-now.ts'
import type { WorkerRegistry } from '../services/worker-registry.ts'
import type { NewJobs } from './new-jobs.ts'

export interface Direct {
  enqueue(input: EnqueueInput): EnqueueResult
  /** One job of kind `job`, leased for the time its type allows; null when none can be claimed. */
  claim(worker: string): ClaimedRow | null
  complete(lease: Lease): SettleResult
  fail(lease: Lease, error: string): SettleResult
  get(id: string): Job | null
  list(params: ListParams): ListPage
  /** The finished attempts, oldest first. */
  attempts(id: string): readonly Attempt[]
  counts(): ReadonlyMap<string, StatusCounts>
  /** The effective settings of a type; undefined when there is no such type. */
  settings(type: string): EffectiveSettings | undefined
  /** Runs maintenance: promotes due jobs, enqueues those of due schedules, rescues expired leases, applies retention. Returns the next due instant. */
  upkeep(): number | null
}

export interface DirectParts {
  readonly store: DirectStore
  readonly commits: GroupCommit
  readonly newJobs: NewJobs
  readonly registry: WorkerRegistry
  readonly random: () => number
  readonly now: () => number
  readonly maxPayloadBytes: number
}

const CHUNK = 200

export function createDirect(parts: DirectParts): Direct {
  const { store, commits, newJobs, registry, random, now, maxPayloadBytes } = parts
  const write = <K extends OpKind>(op: OpOf<K> & Op): OpValue<K> => takeValue<K>(commits.writeNow(store, [op])[0])

  return {
    enqueue(input) {
      const [result] = write<'enqueue'>({ kind: 'enqueue', jobs: newJobs.one(PARSERS.enqueue(input)) })
      if (!result) throw noOutcome()
      return result
    },
    claim(name) {
      const worker = parseInput(workerName, name, 'worker')
      const claim = { types: null, limit: 1, leaseMs: null, requestId: null, settle: false }
      const ops: Op[] = [...registry.claims(worker, []), { kind: 'claim', worker, ...claim }]
      const job = takeValue<'claim'>(commits.writeNow(store, ops).at(-1)).jobs[0] ?? null
      // Confirms delivery: if this process ends while the job runs, the crash counts for this job.
      if (job && job.crashes > 0) write<'heartbeat'>({ kind: 'heartbeat', worker, leases: [job], leaseMs: null })
      return job
    },
    complete: (lease) => write<'complete'>({ kind: 'complete', ...lease, result: null }),
    fail(lease, error) {
      const failure = { error, retry: true, retryInMs: null, exitCode: null, random: random() }
      return write<'fail'>({ kind: 'fail', ...lease, failure })
    },
    get: (id) => store.getNow(id),
    list: (params) => store.listNow(params),
    attempts: (id) => store.attemptsNow(id),
    counts: () => store.countsNow(),
    settings: (type) => store.typesNow().find(({ name }) => name === type)?.effective,
    upkeep() {
      while (write<'promote'>({ kind: 'promote', limit: CHUNK }).more);
      const tickAt = runTicksNow({ store, maxPayloadBytes, write: (op) => write<'schedule'>(op) }, now())
      while (write<'rescue'>({ kind: 'rescue', limit: CHUNK }).more);
      const finished = { status: TERMINAL_STATUSES, olderThanMs: null, type: null }
      while (write<'cleanup'>({ kind: 'cleanup', ...finished, limit: CHUNK }).more);
      const { promoteAt, leaseAt } = store.nextDueNow()
      const dueAt = Math.min(...[promoteAt, leaseAt, tickAt].map((at) => at ?? Number.POSITIVE_INFINITY))
      return Number.isFinite(dueAt) ? dueAt : null
    },
  }
}

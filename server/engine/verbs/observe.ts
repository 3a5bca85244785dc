/** What anybody may ask: jobs, lists, counts, outcomes, explanations. Nothing here writes. */
import {
  type AuditTrailInput,
  auditTrailInput,
  type DepthsInput,
  depthsInput,
  type FailureGroupsInput,
  failureGroupsInput,
  type HistoryInput,
  historyInput,
  type IdInput,
  idInput,
  type JobFilter,
  jobFilter,
  type ListInput,
  type LogsInput,
  listInput,
  logsInput,
  type ResultInput,
  resultInput,
  type StatsInput,
  statsInput,
  type TypeInput,
  typeInput,
} from '../../../shared/contracts/observe.ts'
import { type BulkCountInput, bulkCountInput } from '../../../shared/contracts/operate.ts'
import { type HoldersInput, holdersInput } from '../../../shared/contracts/work.ts'
import { notFound, QueueError } from '../../../shared/errors.ts'
import type { Attempt, Holder, Job, LogLine } from '../../../shared/job.ts'
import { limits, MINUTE } from '../../../shared/limits.ts'
import type { QueueSettings } from '../../../shared/settings.ts'
import { emptyCounts, type StatusCounts } from '../../../shared/status.ts'
import { hideSecrets } from '../../../shared/webhooks.ts'
import type {
  AuditRow,
  BulkRow,
  FailureGroup,
  ListPage,
  MinuteRow,
  StoreFacts,
  TypeRow,
  WorkerRow,
} from '../../store/records.ts'
import type { MatchCount, Store } from '../../store/store.ts'
import type { Results, ResultsAnswer } from '../claims/results.ts'
import { type Depths, FULL_EVERY, readDepths } from '../services/depths.ts'
import { type Explanation, explain } from './explain/explain.ts'
import { MOST_AHEAD } from './explain/explain-pending.ts'
import { parseInput } from './input.ts'
import { readStats, type Stats } from './stats.ts'

export interface Observing {
  /** One job with its payload and result; NOT_FOUND when there is none. */
  get(input: IdInput): Promise<Job>
  /** Jobs that match a filter, one page at a time. */
  list(input?: ListInput): Promise<ListPage>
  /** Every job that matches, newest first, page by page: an export never holds more than one page in memory. */
  export(filter?: JobFilter): AsyncIterable<ListPage['jobs'][number]>
  /** Which worker holds each job, under which fencing token; unknown ids and numbers are left out. */
  holders(input: HoldersInput): Promise<readonly Holder[]>
  /** Exact numbers of jobs by status, over all types. */
  counts(): Promise<StatusCounts>
  /** Exact counts by type, the age of the oldest ready job, throughput and latency. */
  stats(input?: StatsInput): Promise<Stats>
  /** What happened minute by minute, oldest first; at most a day. */
  history(input?: HistoryInput): Promise<readonly MinuteRow[]>
  /** How many jobs each type had at the end of each minute; at most a day. */
  depths(input?: DepthsInput): Promise<Depths>
  /** How jobs ended; with `waitMs` it waits until one of them has. */
  result(input: ResultInput, context?: { readonly signal?: AbortSignal | undefined }): Promise<ResultsAnswer>
  /** Why a job is not running, or why it ran more than once, in one sentence. */
  explain(input: IdInput): Promise<Explanation>
  /** The attempts of a job that are over, oldest first. */
  attempts(input: IdInput): Promise<readonly Attempt[]>
  /** The lines of a job's log. */
  logs(input: LogsInput): Promise<readonly LogLine[]>
  /** All job types with their declared, overridden and effective settings. */
  types(): Promise<readonly TypeRow[]>
  /** One job type; NOT_FOUND when there is none. */
  type(input: TypeInput): Promise<TypeRow>
  /** The queue-wide settings, without secrets. */
  settings(): Promise<QueueSettings>
  /** The workers that called lately. */
  workers(): Promise<readonly WorkerRow[]>
  /** Failures of the last week, grouped by type and kind of error. */
  failureGroups(input?: FailureGroupsInput): Promise<readonly FailureGroup[]>
  /** How far a bulk operation is. */
  bulk(input: IdInput): Promise<BulkRow>
  /** How many jobs match a filter, as far as one call has time to count; a `cursor` in the answer says where to continue. */
  countBulk(input: BulkCountInput): Promise<MatchCount>
  /** What operators did, newest first. */
  auditTrail(input?: AuditTrailInput): Promise<readonly AuditRow[]>
  /** Which database the queue is on, its size and its state. */
  facts(): Promise<QueueFacts>
}

/** The database of a queue, and its state. */
export interface QueueFacts extends StoreFacts {
  /** true when maintenance in this process has stopped: writes may be stuck. */
  readonly isStalled: boolean
}

export function createObserving(store: Store, results: Results, isStalled: () => boolean): Observing {
  async function find(id: string): Promise<Job> {
    const job = await store.get(id)
    if (!job) throw notFound(id)
    return job
  }

  return {
    get: async (input) => find(parseInput(idInput, input).id),
    list: async (input = {}) => store.list(parseInput(listInput, input)),
    async *export(filter = {}) {
      const params = parseInput(jobFilter, filter)
      let cursor: string | undefined
      do {
        const query = cursor === undefined ? params : { ...params, cursor }
        const page = await store.list(parseInput(listInput, { ...query, limit: limits.list, payloads: true }))
        yield* page.jobs
        cursor = page.nextCursor ?? undefined
      } while (cursor !== undefined)
    },
    async holders(input) {
      const { ids, seqs } = parseInput(holdersInput, input)
      const [byId, bySeq] = await Promise.all([
        ids.length === 0 ? [] : store.getMany(ids),
        seqs.length === 0 ? [] : store.getNumbered(seqs),
      ])
      return [...byId, ...bySeq].map(({ id, seq, type, status, version, lockedBy }) => {
        return { id, seq, type, status, version, worker: lockedBy }
      })
    },
    counts: () => store.totals(),
    stats: async (input = {}) => {
      const { type = null, allTime } = parseInput(statsInput, input)
      return readStats(store, type, allTime)
    },
    async history(input = {}) {
      const { minutes, type, together } = parseInput(historyInput, input)
      const sinceMinute = Math.floor((await store.now()) / MINUTE) - minutes + 1
      return store.minutes({ sinceMinute, type: type ?? null, together })
    },
    async depths(input = {}) {
      const { minutes, type } = parseInput(depthsInput, input)
      const sinceMinute = Math.floor((await store.now()) / MINUTE) - minutes
      const rows = await store.depths({ sinceMinute: sinceMinute - FULL_EVERY, type: type ?? null })
      return readDepths(rows, sinceMinute)
    },
    async result(input, { signal } = {}) {
      const { ids, waitMs } = parseInput(resultInput, input)
      return results.read(ids, waitMs, signal)
    },
    async explain(input) {
      const { id } = parseInput(idInput, input)
      const job = await find(id)
      const [attempts, now, settings, types, counts, ready, workers, ahead] = await Promise.all([
        store.attempts(id),
        store.now(),
        store.settings(),
        store.types(),
        store.counts(),
        store.ready(),
        store.workers(),
        job.status === 'pending' ? store.ahead({ job, limit: MOST_AHEAD + 1 }) : 0,
      ])
      const type = types.find(({ name }) => name === job.type)
      if (!type) throw new QueueError('NOT_FOUND', `Type ${job.type} is not known any more.`)
      const takes = (worker: WorkerRow) =>
        worker.drainRequestedAt === null &&
        now - worker.seenAt < MINUTE &&
        (worker.types.length === 0 ? type.kind === 'job' : worker.types.includes(job.type))
      return explain({
        job,
        attempts,
        now,
        queuePaused: settings.paused ?? false,
        queueRate: settings.rate ?? null,
        settings: type.effective,
        settingsAt: type.updatedAt,
        counts: counts.get(job.type) ?? emptyCounts(),
        claimable: ready.get(job.type)?.count ?? 0,
        nextAt: ready.get(job.type)?.nextAt ?? null,
        ahead,
        workers: workers.filter(takes),
      })
    },
    attempts: async (input) => store.attempts((await find(parseInput(idInput, input).id)).id),
    async logs(input) {
      const { id, after, limit } = parseInput(logsInput, input)
      return store.logs((await find(id)).id, { after, limit })
    },
    types: async () => store.types(),
    async type(input) {
      const { name } = parseInput(typeInput, input)
      const type = (await store.types()).find((known) => known.name === name)
      if (!type) throw new QueueError('NOT_FOUND', `There is no type ${name} yet.`, { type: name })
      return type
    },
    settings: async () => hideSecrets(await store.settings()),
    workers: async () => store.workers(),
    async failureGroups(input = {}) {
      const { type, limit } = parseInput(failureGroupsInput, input)
      return store.failureGroups({ type: type ?? null, limit })
    },
    async bulk(input) {
      const { id } = parseInput(idInput, input)
      const row = await store.bulk(id)
      if (!row) throw new QueueError('NOT_FOUND', `There is no bulk operation ${id}.`, { id })
      return row
    },
    async countBulk(input) {
      const { filter, cursor } = parseInput(bulkCountInput, input)
      return store.countMatches({ filter, before: cursor ?? null })
    },
    async auditTrail(input = {}) {
      const { target, before, limit } = parseInput(auditTrailInput, input)
      return store.audit({ target: target ?? null, before: before ?? null, limit })
    },
    facts: async () => ({ ...(await store.facts()), isStalled: isStalled() }),
  }
}

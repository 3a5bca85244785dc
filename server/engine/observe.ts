/** What anybody may ask: jobs, lists, counts, outcomes, explanations. Nothing here writes. */
import {
  type JobFilter,
  jobFilter,
  jobId,
  type ListInput,
  listInput,
  type ResultInput,
  resultInput,
  typeName,
} from '../../shared/contracts.ts'
import { notFound, QueueError } from '../../shared/errors.ts'
import type { Attempt, Job, LogLine } from '../../shared/job.ts'
import { limits, MINUTE } from '../../shared/limits.ts'
import { emptyCounts } from '../../shared/status.ts'
import type { QueueSettings } from '../../shared/type-settings.ts'
import type {
  AuditRow,
  BulkRow,
  FailureGroup,
  ListPage,
  MinuteRow,
  Store,
  StoreFacts,
  TypeRow,
  WorkerRow,
} from '../store/store.ts'
import { type Explanation, explain } from './explain.ts'
import { parseInput } from './input.ts'
import type { Results, ResultsAnswer } from './results.ts'
import { readStats, type Stats } from './stats.ts'

export interface Observing {
  get(input: { readonly id: string }): Promise<Job>
  list(input?: ListInput): Promise<ListPage>
  /** Every job that matches, newest first, page by page: an export never holds more than one page in memory. */
  export(filter?: JobFilter): AsyncIterable<ListPage['jobs'][number]>
  stats(input?: { readonly type?: string }): Promise<Stats>
  /** Minute by minute, oldest first; at most a day. */
  history(input?: { readonly minutes?: number; readonly type?: string }): Promise<readonly MinuteRow[]>
  result(input: ResultInput, context?: { readonly signal?: AbortSignal | undefined }): Promise<ResultsAnswer>
  explain(input: { readonly id: string }): Promise<Explanation>
  attempts(input: { readonly id: string }): Promise<readonly Attempt[]>
  logs(input: { readonly id: string; readonly after?: number; readonly limit?: number }): Promise<readonly LogLine[]>
  types(): Promise<readonly TypeRow[]>
  type(input: { readonly name: string }): Promise<TypeRow>
  settings(): Promise<QueueSettings>
  workers(): Promise<readonly WorkerRow[]>
  failureGroups(input?: { readonly type?: string; readonly limit?: number }): Promise<readonly FailureGroup[]>
  bulk(input: { readonly id: string }): Promise<BulkRow>
  auditTrail(input?: {
    readonly target?: string
    readonly before?: number
    readonly limit?: number
  }): Promise<readonly AuditRow[]>
  facts(): Promise<StoreFacts>
}

const DAY_MINUTES = 1_440
const MAX_LOG_LINES = 1_000
const MAX_GROUPS = 500

export function createObserving(store: Store, results: Results): Observing {
  async function find(id: string): Promise<Job> {
    const job = await store.get(parseInput(jobId, id, 'id'))
    if (!job) throw notFound(id)
    return job
  }

  return {
    get: async ({ id }) => find(id),
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
    stats: async ({ type } = {}) => readStats(store, type === undefined ? null : parseInput(typeName, type, 'type')),
    async history({ minutes = 60, type } = {}) {
      const span = clamp(minutes, 1, DAY_MINUTES)
      const sinceMinute = Math.floor((await store.now()) / MINUTE) - span + 1
      return store.minutes({ sinceMinute, type: type ?? null })
    },
    async result(input, { signal } = {}) {
      const { ids, waitMs } = parseInput(resultInput, input)
      return results.read(ids, waitMs, signal)
    },
    async explain({ id }) {
      const job = await find(id)
      const [attempts, now, settings, types, counts, ready, workers] = await Promise.all([
        store.attempts(id),
        store.now(),
        store.settings(),
        store.types(),
        store.counts(),
        store.ready(),
        store.workers(),
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
        settings: type.effective,
        counts: counts.get(job.type) ?? emptyCounts(),
        claimable: ready.get(job.type)?.count ?? 0,
        workers: workers.filter(takes).length,
      })
    },
    attempts: async ({ id }) => store.attempts((await find(id)).id),
    logs: async ({ id, after = 0, limit = 200 }) =>
      store.logs((await find(id)).id, { after, limit: clamp(limit, 1, MAX_LOG_LINES) }),
    types: async () => store.types(),
    async type({ name }) {
      const type = (await store.types()).find((known) => known.name === name)
      if (!type) throw new QueueError('NOT_FOUND', `There is no type ${name} yet.`, { type: name })
      return type
    },
    settings: async () => store.settings(),
    workers: async () => store.workers(),
    failureGroups: async ({ type, limit = 100 } = {}) =>
      store.failureGroups({ type: type ?? null, limit: clamp(limit, 1, MAX_GROUPS) }),
    async bulk({ id }) {
      const row = await store.bulk(parseInput(jobId, id, 'id'))
      if (!row) throw new QueueError('NOT_FOUND', `There is no bulk operation ${id}.`, { id })
      return row
    },
    auditTrail: async ({ target, before, limit = 100 } = {}) =>
      store.audit({ target: target ?? null, before: before ?? null, limit: clamp(limit, 1, MAX_GROUPS) }),
    facts: async () => store.facts(),
  }
}

function clamp(value: number, min: number, max: number): number {
  return Number.isFinite(value) ? Math.min(max, Math.max(min, Math.trunc(value))) : min
}

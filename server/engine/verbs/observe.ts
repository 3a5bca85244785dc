/** Verbs that only read: jobs, lists, counts, outcomes, explanations. */
import type { JobFilter } from '../../../shared/contracts/observe.ts'
import { notFound, QueueError } from '../../../shared/errors.ts'
import type { GroupKeyRow } from '../../../shared/groups/records.ts'
import type { Job } from '../../../shared/job.ts'
import { limits, MINUTE } from '../../../shared/limits.ts'
import type { ReadVerbs as QueueReads } from '../../../shared/queue.ts'
import type { WorkerRow } from '../../../shared/records.ts'
import { hideSecrets } from '../../../shared/settings/webhooks.ts'
import { emptyCounts, isTerminal } from '../../../shared/status.ts'
import type { ParsedVerbs } from '../../../shared/verbs/verb-inputs.ts'
import type { Store } from '../../store/store.ts'
import { FULL_EVERY, readDepths } from '../services/depths.ts'
import type { Results } from '../waiting/results.ts'
import { explain } from './explain/explain.ts'
import { MOST_AHEAD } from './explain/explain-pending.ts'
import { readStats } from './stats.ts'

type ReadVerbs = Pick<
  ParsedVerbs,
  Exclude<keyof QueueReads, 'counts' | 'export' | 'groups' | 'groupKeys' | 'groupKey'>
> &
  Pick<QueueReads, 'counts'> & {
    export(filter: JobFilter): ReturnType<QueueReads['export']>
  }

export interface ReadVerbsParts {
  readonly store: Store
  readonly results: Results
  readonly isStalled: () => boolean
  readonly groups: Pick<ParsedVerbs, 'groupKey'>
}

export function createReadVerbs({ store, results, isStalled, groups }: ReadVerbsParts): ReadVerbs {
  async function find(id: string): Promise<Job> {
    const job = await store.get(id)
    if (!job) throw notFound(id)
    return job
  }

  async function readKey({ groupName: name, groupKey: key, status }: Job): Promise<GroupKeyRow | null> {
    return name === null || key === null || isTerminal(status) ? null : groups.groupKey({ name, key })
  }

  return {
    get: async ({ id }) => find(id),
    list: async (params) => store.list(params),
    async *export(filter) {
      let cursor: string | undefined
      do {
        const page = await store.list({ ...filter, cursor, sort: 'newest', limit: limits.list, payloads: true })
        yield* page.jobs
        cursor = page.nextCursor ?? undefined
      } while (cursor !== undefined)
    },
    async holders({ ids, seqs }) {
      const [byId, bySeq] = await Promise.all([
        ids.length === 0 ? [] : store.getMany(ids),
        seqs.length === 0 ? [] : store.getNumbered(seqs),
      ])
      return [...byId, ...bySeq].map(({ id, seq, type, status, version, lockedBy }) => {
        return { id, seq, type, status, version, worker: lockedBy }
      })
    },
    counts: () => store.totals(),
    stats: async ({ type = null, allTime }) => readStats(store, type, allTime),
    async history({ minutes, type, together }) {
      const sinceMinute = Math.floor((await store.now()) / MINUTE) - minutes + 1
      return store.minutes({ sinceMinute, type: type ?? null, together })
    },
    async depths({ minutes, type }) {
      const sinceMinute = Math.floor((await store.now()) / MINUTE) - minutes
      const rows = await store.depths({ sinceMinute: sinceMinute - FULL_EVERY, type: type ?? null })
      return readDepths(rows, sinceMinute)
    },
    async result({ ids, waitMs }, { signal } = {}) {
      return results.read(ids, waitMs, signal)
    },
    async explain({ id }) {
      const job = await find(id)
      const [attempts, now, settings, types, counts, ready, workers, ahead, key, aheadInKey] = await Promise.all([
        store.attempts(id),
        store.now(),
        store.settings(),
        store.types(),
        store.counts(),
        store.ready(),
        store.workers(),
        job.status === 'pending' ? store.ahead({ job, limit: MOST_AHEAD + 1 }) : 0,
        readKey(job),
        job.status === 'blocked' ? store.aheadInKey({ job, limit: MOST_AHEAD + 1 }) : 0,
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
        key,
        aheadInKey,
        workers: workers.filter(takes),
      })
    },
    attempts: async ({ id }) => store.attempts((await find(id)).id),
    async logs({ id, after, limit }) {
      return store.logs((await find(id)).id, { after, limit })
    },
    types: async () => store.types(),
    async type({ name }) {
      const type = (await store.types()).find((known) => known.name === name)
      if (!type) throw new QueueError('NOT_FOUND', `There is no type ${name} yet.`, { type: name })
      return type
    },
    settings: async () => hideSecrets(await store.settings()),
    workers: async () => store.workers(),
    async failureGroups({ type, limit }) {
      return store.failureGroups({ type: type ?? null, limit })
    },
    async bulk({ id }) {
      const row = await store.bulk(id)
      if (!row) throw new QueueError('NOT_FOUND', `There is no bulk operation ${id}.`, { id })
      return row
    },
    async countBulk({ filter, cursor }) {
      return store.countMatches({ filter, before: cursor ?? null })
    },
    async auditTrail({ target, before, limit }) {
      return store.audit({ target: target ?? null, before: before ?? null, limit })
    },
    facts: async () => ({ ...(await store.facts()), isStalled: isStalled() }),
  }
}

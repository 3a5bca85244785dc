/** All reads of a PostgreSQL store, each retried once after a lost connection, and a bounded number at the same time. */
import type { Reads } from '../../store.ts'
import { withRetry } from '../connection/with-retry.ts'
import { createListReads } from '../list/read-list.ts'
import { createControlReads } from './read-control.ts'
import { createFailureReads } from './read-failures.ts'
import { createGroupReads } from './read-groups.ts'
import { createJobReads } from './read-jobs.ts'
import type { ReadOptions } from './read-options.ts'
import { createScheduleReads } from './read-schedules.ts'
import type { ReadSlots } from './read-slots.ts'
import { createStatsReads } from './read-stats.ts'
import { createTokenReads } from './read-tokens.ts'

export function createReads({ slots, ...options }: ReadOptions & { readonly slots: ReadSlots }): Reads {
  const read = <Result>(run: () => Promise<Result>) => slots.run(() => withRetry(run))
  const jobs = createJobReads(options)
  const lists = createListReads(options)
  const stats = createStatsReads(options)
  const failures = createFailureReads(options)
  const control = createControlReads(options)
  const groups = createGroupReads(options)
  const access = createTokenReads(options)
  const schedules = createScheduleReads(options)
  return {
    get: (id) => read(() => jobs.get(id)),
    getMany: (ids) => read(() => jobs.getMany(ids)),
    getNumbered: (seqs) => read(() => jobs.getNumbered(seqs)),
    results: (ids) => read(() => jobs.results(ids)),
    attempts: (id) => read(() => jobs.attempts(id)),
    logs: (id, params) => read(() => jobs.logs(id, params)),
    ahead: (params) => read(() => jobs.ahead(params)),
    aheadInKey: (params) => read(() => jobs.aheadInKey(params)),
    list: (params) => read(() => lists.list(params)),
    match: (params) => read(() => lists.match(params)),
    countMatches: (params) => read(() => lists.countMatches(params)),
    counts: (type) => read(() => stats.counts(type)),
    totals: () => read(() => stats.totals()),
    oldestReady: (type) => read(() => stats.oldestReady(type)),
    activity: (params) => read(() => stats.activity(params)),
    minutes: (params) => read(() => stats.minutes(params)),
    depths: (params) => read(() => stats.depths(params)),
    failureGroups: (params) => read(() => failures.failureGroups(params)),
    types: () => read(() => control.types()),
    paused: () => read(() => control.paused()),
    settings: () => read(() => control.settings()),
    workers: () => read(() => control.workers()),
    audit: (params) => read(() => control.audit(params)),
    groupTotals: () => read(() => groups.groupTotals()),
    groupOverrides: () => read(() => groups.groupOverrides()),
    groupKeys: (params) => read(() => groups.groupKeys(params)),
    groupKey: (params) => read(() => groups.groupKey(params)),
    bulk: (id) => read(() => control.bulk(id)),
    openBulks: () => read(() => control.openBulks()),
    schedules: (params) => read(() => schedules.schedules(params)),
    schedulesNamed: (params) => read(() => schedules.schedulesNamed(params)),
    scheduleTicks: (name, limit) => read(() => schedules.scheduleTicks(name, limit)),
    dueSchedules: (params) => read(() => schedules.dueSchedules(params)),
    nextScheduleAt: () => read(() => schedules.nextScheduleAt()),
    tokens: () => read(() => access.tokens()),
    session: (id) => read(() => access.session(id)),
  }
}

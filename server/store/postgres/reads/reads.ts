/** All reads of a PostgreSQL store, each retried once after a lost connection. */
import type { Reads } from '../../store.ts'
import { withRetry } from '../connection/with-retry.ts'
import { createListReads } from '../list/read-list.ts'
import { createControlReads } from './read-control.ts'
import { createFailureReads } from './read-failures.ts'
import { createJobReads } from './read-jobs.ts'
import type { ReadOptions } from './read-options.ts'
import { createStatsReads } from './read-stats.ts'
import { createTokenReads } from './read-tokens.ts'

export function createReads(options: ReadOptions): Reads {
  const jobs = createJobReads(options)
  const lists = createListReads(options)
  const stats = createStatsReads(options)
  const failures = createFailureReads(options)
  const control = createControlReads(options)
  const access = createTokenReads(options)
  return {
    get: (id) => withRetry(() => jobs.get(id)),
    getMany: (ids) => withRetry(() => jobs.getMany(ids)),
    getNumbered: (seqs) => withRetry(() => jobs.getNumbered(seqs)),
    results: (ids) => withRetry(() => jobs.results(ids)),
    attempts: (id) => withRetry(() => jobs.attempts(id)),
    logs: (id, params) => withRetry(() => jobs.logs(id, params)),
    ahead: (params) => withRetry(() => jobs.ahead(params)),
    list: (params) => withRetry(() => lists.list(params)),
    match: (params) => withRetry(() => lists.match(params)),
    countMatches: (params) => withRetry(() => lists.countMatches(params)),
    counts: (type) => withRetry(() => stats.counts(type)),
    totals: () => withRetry(() => stats.totals()),
    oldestReady: (type) => withRetry(() => stats.oldestReady(type)),
    activity: (params) => withRetry(() => stats.activity(params)),
    minutes: (params) => withRetry(() => stats.minutes(params)),
    depths: (params) => withRetry(() => stats.depths(params)),
    failureGroups: (params) => withRetry(() => failures.failureGroups(params)),
    types: () => withRetry(() => control.types()),
    paused: () => withRetry(() => control.paused()),
    settings: () => withRetry(() => control.settings()),
    workers: () => withRetry(() => control.workers()),
    audit: (params) => withRetry(() => control.audit(params)),
    bulk: (id) => withRetry(() => control.bulk(id)),
    openBulks: () => withRetry(() => control.openBulks()),
    tokens: () => withRetry(() => access.tokens()),
    session: (id) => withRetry(() => access.session(id)),
  }
}

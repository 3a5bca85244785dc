/** All reads of a PostgreSQL store; each gets over a lost connection. */
import type { Reads } from '../../store.ts'
import { steadily } from '../connection/with-retry.ts'
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
    get: (id) => steadily(() => jobs.get(id)),
    getMany: (ids) => steadily(() => jobs.getMany(ids)),
    getNumbered: (seqs) => steadily(() => jobs.getNumbered(seqs)),
    results: (ids) => steadily(() => jobs.results(ids)),
    attempts: (id) => steadily(() => jobs.attempts(id)),
    logs: (id, params) => steadily(() => jobs.logs(id, params)),
    ahead: (params) => steadily(() => jobs.ahead(params)),
    list: (params) => steadily(() => lists.list(params)),
    match: (params) => steadily(() => lists.match(params)),
    countMatches: (params) => steadily(() => lists.countMatches(params)),
    counts: (type) => steadily(() => stats.counts(type)),
    totals: () => steadily(() => stats.totals()),
    oldestReady: (type) => steadily(() => stats.oldestReady(type)),
    activity: (params) => steadily(() => stats.activity(params)),
    minutes: (params) => steadily(() => stats.minutes(params)),
    depths: (params) => steadily(() => stats.depths(params)),
    failureGroups: (params) => steadily(() => failures.failureGroups(params)),
    types: () => steadily(() => control.types()),
    paused: () => steadily(() => control.paused()),
    settings: () => steadily(() => control.settings()),
    workers: () => steadily(() => control.workers()),
    audit: (params) => steadily(() => control.audit(params)),
    bulk: (id) => steadily(() => control.bulk(id)),
    openBulks: () => steadily(() => control.openBulks()),
    tokens: () => steadily(() => access.tokens()),
    session: (id) => steadily(() => access.session(id)),
  }
}

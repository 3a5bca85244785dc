/** Places each read: on the main thread, or on the reader thread when it may take long. */
import { MINUTE } from '../../../../shared/limits.ts'
import { hasReadyTypes } from '../../stats/status-counts.ts'
import type { Reads } from '../../store.ts'
import { copyCounts } from '../commit/kept-counts.ts'
import type { Client } from '../connection/open.ts'
import type { Reader } from '../reader-thread/reader.ts'
import { isHeavy, isHeavyCount } from './reads.ts'
import type { SyncReads } from './sync-reads.ts'

/** Up to this many minute rows are read on the main thread, in about 2 ms. */
const INLINE_MINUTES = 500
/** Up to this many types with ready jobs are looked up on the main thread, in about 2 ms: a few seeks each. */
const INLINE_TYPES = 100
/** Up to this many keys of groups are scanned on the main thread, in about 2 ms. */
const INLINE_KEYS = 1_000

interface Parts {
  readonly client: Client
  /** The reads on the main thread; throws when the store is closed. */
  readonly open: () => SyncReads
  /** null: a database in memory has no other connection. */
  readonly reader: Reader | null
  readonly now: () => number
}

export function createPlacedReads({ client, open, reader, now }: Parts): Reads {
  const lastKey = client.prepare<[], number | null>('SELECT max(rowid) FROM millrace_job_groups').pluck()

  /** True when the minutes since then may have more rows than the main thread should read. */
  function isLong({ sinceMinute, type }: { readonly sinceMinute: number; readonly type: string | null }): boolean {
    const minutes = now() / MINUTE - sinceMinute
    return minutes * (type === null ? open().counts().size : 1) > INLINE_MINUTES
  }

  /** Row numbers grow with new keys, so the highest one bounds their number. */
  function hasManyKeys(): boolean {
    open()
    return (lastKey.get() ?? 0) > INLINE_KEYS
  }

  return {
    get: async (id) => open().get(id),
    getMany: async (ids) => open().getMany(ids),
    getNumbered: async (seqs) => open().getNumbered(seqs),
    results: async (ids) => open().results(ids),
    attempts: async (id) => open().attempts(id),
    logs: async (id, params) => open().logs(id, params),
    ahead: async (params) => open().ahead(params),
    aheadInKey: async (params) => open().aheadInKey(params),
    list: async (params) => (reader && isHeavy(params, open().counts()) ? reader.list(params) : open().list(params)),
    match: async (params) =>
      reader && isHeavy(params.filter, open().counts()) ? reader.match(params) : open().match(params),
    countMatches: async (params) =>
      reader && isHeavyCount(params.filter, open().counts())
        ? reader.countMatches(params)
        : open().countMatches(params),
    counts: async (type) => copyCounts(open().counts(type)),
    totals: async () => open().totals(),
    async oldestReady(type = null) {
      const isHeavyRead = reader && type === null && hasReadyTypes(open().counts(), INLINE_TYPES + 1)
      return isHeavyRead ? reader.oldestReady(type) : open().oldestReady(type)
    },
    minutes: async (params) => (reader && isLong(params) ? reader.minutes(params) : open().minutes(params)),
    activity: async (params) => (reader && isLong(params) ? reader.activity(params) : open().activity(params)),
    async depths(params) {
      const minutes = now() / MINUTE - params.sinceMinute
      const rows = minutes * (params.type === null ? 1 + open().counts().size : 2)
      return reader && rows > INLINE_MINUTES ? reader.depths(params) : open().depths(params)
    },
    types: async () => open().types(),
    paused: async () => open().paused(),
    settings: async () => open().settings(),
    workers: async () => open().workers(),
    failureGroups: async (params) => (reader ? reader.failureGroups(params) : open().failureGroups(params)),
    groupTotals: async () => (reader && hasManyKeys() ? reader.groupTotals() : open().groupTotals()),
    groupOverrides: async () => open().groupOverrides(),
    groupKeys: async (params) => (reader && hasManyKeys() ? reader.groupKeys(params) : open().groupKeys(params)),
    groupKey: async (params) => open().groupKey(params),
    audit: async (params) => open().audit(params),
    bulk: async (id) => open().bulk(id),
    openBulks: async () => open().openBulks(),
    schedules: async (params) => open().schedules(params),
    schedulesNamed: async (params) => open().schedulesNamed(params),
    scheduleTicks: async (name, limit) => open().scheduleTicks(name, limit),
    dueSchedules: async (params) => open().dueSchedules(params),
    nextScheduleAt: async () => open().nextScheduleAt(),
    tokens: async () => open().tokens(),
    session: async (id) => open().session(id),
  }
}

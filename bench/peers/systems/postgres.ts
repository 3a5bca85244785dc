/** Systems on PostgreSQL, each with a server of the same version and settings. */
import { versionOf } from '../load.ts'
import { startPostgres } from '../servers/postgres.ts'
import type { System } from '../systems.ts'

export const POSTGRES: readonly System[] = [
  {
    name: 'limit-postgres',
    label: 'Limit: PostgreSQL, batches',
    kind: 'PostgreSQL',
    role: 'limit',
    isDurable: true,
    adapter: 'raw-postgres',
    version: () => 'this checkout',
    settings:
      'prepared statements on one table; all operations of one event-loop turn in one statement, two connections, without plans that read the whole table',
    start: startPostgres,
  },
  {
    name: 'millrace-postgres',
    label: 'Millrace on PostgreSQL',
    kind: 'PostgreSQL',
    role: 'millrace',
    isDurable: true,
    adapter: 'millrace',
    version: () => 'this checkout',
    settings: '`openQueue("postgres://…")` and `startWorker`, all defaults',
    start: startPostgres,
  },
  {
    name: 'millrace-postgres-prefetch',
    label: 'Millrace on PostgreSQL, prefetch',
    kind: 'PostgreSQL',
    role: 'millrace',
    isDurable: true,
    adapter: 'millrace-prefetch',
    version: () => 'this checkout',
    settings: 'the same with `prefetch: 100`: a worker may take up to 100 short jobs in advance',
    start: startPostgres,
  },
  {
    name: 'bullmq-postgres',
    label: 'BullMQ on PostgreSQL, default',
    kind: 'PostgreSQL',
    role: 'peer',
    isDurable: true,
    adapter: 'bullmq-postgres',
    version: () => `BullMQ ${versionOf('bullmq')}`,
    settings:
      'its PostgreSQL backend, whose defaults are durable; pools of 25 instead of 10 connections; `addBulk` for bulk; worker with `concurrency`',
    start: startPostgres,
  },
  {
    name: 'pg-boss',
    label: 'pg-boss, notify and burst',
    kind: 'PostgreSQL',
    role: 'peer',
    isDurable: true,
    adapter: 'pg-boss',
    version: () => `pg-boss ${versionOf('pg-boss')}`,
    settings:
      '`useListenNotify`, `notify`, one partition per queue, `burstWhenBatchFull`, `batchSize` = concurrency, at least 2; pool of 64',
    start: startPostgres,
  },
  {
    name: 'pg-boss-default',
    label: 'pg-boss, default',
    kind: 'PostgreSQL',
    role: 'peer',
    isDurable: true,
    adapter: 'pg-boss-default',
    version: () => `pg-boss ${versionOf('pg-boss')}`,
    settings:
      'all defaults, which are durable, and `localConcurrency`: each slot polls every two seconds for one job; e2e would take a minute per turn and is not measured',
    without: ['e2e'],
    start: startPostgres,
  },
  {
    name: 'graphile-worker',
    label: 'graphile-worker, default',
    kind: 'PostgreSQL',
    role: 'peer',
    isDurable: true,
    adapter: 'graphile-worker',
    version: () => `graphile-worker ${versionOf('graphile-worker')}`,
    settings:
      '`run` with `concurrency`, pools of 52 and 44 connections, `addJobs` for bulk; it takes the next job before the outcome of the last one is stored',
    start: startPostgres,
  },
  {
    name: 'graphile-worker-batched',
    label: 'graphile-worker, batched',
    kind: 'PostgreSQL',
    role: 'peer',
    isDurable: true,
    adapter: 'graphile-worker-batched',
    version: () => `graphile-worker ${versionOf('graphile-worker')}`,
    settings:
      'the same with `localQueue: { size: 500 }` and `completeJobBatchDelay: 0` from its page about performance; takes up to 500 jobs in advance at any concurrency',
    start: startPostgres,
  },
]

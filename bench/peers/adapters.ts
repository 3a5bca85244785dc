/** Adapters by name, for the child process of a system. */
import { openBeanstalkd } from './adapters/beanstalkd.ts'
import { openBullPostgres, openBullRedis } from './adapters/bullmq.ts'
import { openGraphileWorker, openGraphileWorkerBatched } from './adapters/graphile-worker.ts'
import { openMillrace, openMillracePrefetch } from './adapters/millrace.ts'
import { openPgBoss, openPgBossDefault } from './adapters/pg-boss.ts'
import { openPlainjob, openPlainjobFull } from './adapters/plainjob.ts'
import { openRawHttp, openRawHttpOneByOne } from './adapters/raw-http.ts'
import { openRawPostgres } from './adapters/raw-postgres.ts'
import { openRawSqlite } from './adapters/raw-sqlite.ts'
import type { Adapter } from './system.ts'

export const ADAPTERS = {
  millrace: openMillrace,
  'millrace-prefetch': openMillracePrefetch,
  'raw-sqlite': openRawSqlite,
  'raw-postgres': openRawPostgres,
  'raw-http': openRawHttp,
  'raw-http-one-by-one': openRawHttpOneByOne,
  'bullmq-redis': openBullRedis,
  'bullmq-postgres': openBullPostgres,
  'pg-boss': openPgBoss,
  'pg-boss-default': openPgBossDefault,
  'graphile-worker': openGraphileWorker,
  'graphile-worker-batched': openGraphileWorkerBatched,
  plainjob: openPlainjob,
  'plainjob-full': openPlainjobFull,
  beanstalkd: openBeanstalkd,
} satisfies Record<string, Adapter>

export type AdapterName = keyof typeof ADAPTERS

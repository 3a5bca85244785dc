/** Runs long reads on a separate thread, so that a scan never delays a claim. */
import { QueueError } from '../../../../shared/errors.ts'
import type { Reads } from '../../store.ts'
import type { ReadOptions } from '../reads/reads.ts'
import type { ReadParams, ReadResult, ThreadMethod } from './reader-protocol.ts'
import { startThread, type Thread } from './reader-worker.ts'

export interface Reader extends Pick<Reads, ThreadMethod> {
  close(): Promise<void>
}

/** Maximum of pending requests; each takes up to the search budget. */
const MAX_WAITING = 100

/** The thread starts with the first request, and again after it stopped. */
export function createReader(file: string, { now, defaults, searchBudgetMs }: ReadOptions): Reader {
  let thread: Thread | null = null
  let closed = false

  function start(): Thread {
    const started = startThread({ file, defaults, searchBudgetMs }, () => {
      if (thread === started) thread = null
    })
    return started
  }

  async function send<Method extends ThreadMethod>(
    method: Method,
    params: ReadParams<Method>,
  ): Promise<ReadResult<Method>> {
    if (closed) throw new QueueError('CLOSED', 'The queue is closed; open it again to read.')
    thread ??= start()
    if (thread.waiting() >= MAX_WAITING) {
      throw new QueueError('BUSY', `${MAX_WAITING} searches are already waiting; try again in a moment.`)
    }
    return thread.send(method, params, now())
  }

  return {
    list: (params) => send('list', params),
    match: (params) => send('match', params),
    countMatches: (params) => send('countMatches', params),
    failureGroups: (params) => send('failureGroups', params),
    minutes: (params) => send('minutes', params),
    depths: (params) => send('depths', params),
    activity: (params) => send('activity', params),
    groupTotals: () => send('groupTotals', undefined),
    groupKeys: (params) => send('groupKeys', params),
    oldestReady: (type) => send('oldestReady', type),
    async close() {
      closed = true
      await thread?.stop()
    },
  }
}

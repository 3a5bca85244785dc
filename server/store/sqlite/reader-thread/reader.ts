/** Runs the reads that may take long on a thread of their own, so that a scan never holds up a claim. */
import { QueueError } from '../../../../shared/errors.ts'
import type { Reads } from '../../store.ts'
import type { ReadOptions } from '../reads/reads.ts'
import type { Answer, Question, ThreadMethod } from './reader-protocol.ts'
import { startThread, type Thread } from './reader-worker.ts'

export interface Reader extends Pick<Reads, ThreadMethod> {
  close(): Promise<void>
}

/** Questions that may wait for the thread; each takes up to the search budget. */
const MAX_WAITING = 100

/** The thread starts with the first question, and anew with the next one should it die. */
export function createReader(file: string, { now, defaults, searchBudgetMs }: ReadOptions): Reader {
  let thread: Thread | null = null
  let closed = false

  function start(): Thread {
    const started = startThread({ file, defaults, searchBudgetMs }, () => {
      if (thread === started) thread = null
    })
    return started
  }

  async function ask<Method extends ThreadMethod>(method: Method, params: Question<Method>): Promise<Answer<Method>> {
    if (closed) throw new QueueError('CLOSED', 'The queue is closed; open it again to read.')
    thread ??= start()
    if (thread.waiting() >= MAX_WAITING) {
      throw new QueueError('BUSY', `${MAX_WAITING} searches are waiting already; try again in a moment.`)
    }
    return thread.ask(method, params, now())
  }

  return {
    list: (params) => ask('list', params),
    match: (params) => ask('match', params),
    countMatches: (params) => ask('countMatches', params),
    failureGroups: (params) => ask('failureGroups', params),
    minutes: (params) => ask('minutes', params),
    depths: (params) => ask('depths', params),
    activity: (params) => ask('activity', params),
    oldestReady: (type) => ask('oldestReady', type),
    async close() {
      closed = true
      await thread?.stop()
    },
  }
}

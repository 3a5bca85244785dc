/** Exchanges of a worker under test, recorded by the queue that it uses. */
import type { ClaimedJob } from '../../shared/job.ts'
import type { Queue } from '../../shared/queue.ts'

interface Exchange {
  readonly settled: number
  readonly released: readonly string[]
  readonly limit: number
  readonly jobs: readonly ClaimedJob[]
}

/** Records what each exchange asked for and got. */
export function recorded(queue: Queue) {
  const exchanges: Exchange[] = []
  const exchange: Queue['exchange'] = async (input, options) => {
    const response = await queue.exchange(input, options)
    const released = (input.settle ?? []).filter(({ kind }) => kind === 'release').map(({ id }) => id)
    exchanges.push({
      settled: input.settle?.length ?? 0,
      released,
      limit: input.claim?.limit ?? 0,
      jobs: response.jobs,
    })
    return response
  }
  return { queue: { ...queue, exchange, address: null }, exchanges }
}

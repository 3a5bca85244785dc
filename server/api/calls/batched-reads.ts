/** The reads of a tRPC batch: a few at a time, as long as the response has room. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { batchIsFull } from '../../../shared/contracts/batch-full.ts'
import { QueueError } from '../../../shared/errors.ts'
import { READS_AT_ONCE } from './batch-groups.ts'
import { ResponseRoom } from './response-room.ts'

export class BatchedReads {
  private readonly room = new ResponseRoom()
  private running = 0
  private readonly waiting: (() => void)[] = []

  /**
   * Rejects with TOO_LARGE if the result does not fit, or if an earlier one did not. The result is encoded here for its size, and
   * again by tRPC.
   */
  async run<Result>(read: () => Promise<Result>): Promise<Result> {
    await this.begin()
    try {
      if (this.room.isFull) throw tooLarge()
      const result = await read()
      if (!this.room.take(JSON.stringify(result) ?? '')) throw tooLarge()
      return result
    } finally {
      this.end()
    }
  }

  private async begin(): Promise<void> {
    this.running += 1
    if (this.running <= READS_AT_ONCE) return
    await new Promise<void>((resolve) => this.waiting.push(resolve))
    // A read may take long to run and to encode: other requests continue between two of them.
    await nextTurn()
  }

  private end(): void {
    this.running -= 1
    this.waiting.shift()?.()
  }
}

function tooLarge(): QueueError {
  const { code, message, details } = batchIsFull().error
  return new QueueError(code, message, details)
}

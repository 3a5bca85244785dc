/** What a worker has to do before it claims: once, and again after the queue was unreachable. */

import type { WorkerParts } from '../worker-parts.ts'
import type { OpenCalls } from './open-calls.ts'

type Prepare = WorkerParts['prepare']

export class Preparation {
  private readonly prepare: Prepare
  private readonly calls: OpenCalls
  private readonly stopping: AbortSignal
  private isDone = false

  constructor(prepare: Prepare, calls: OpenCalls, stopping: AbortSignal) {
    this.prepare = prepare
    this.calls = calls
    this.stopping = stopping
  }

  /** The queue may be another one by now. */
  forget(): void {
    this.isDone = false
  }

  /**
   * Whether jobs may be claimed; false when `forget` was called meanwhile. A worker that stops claims only to learn what an earlier
   * call took, and gives it back: that needs no preparation.
   */
  async run(): Promise<boolean> {
    const { prepare, stopping } = this
    if (!prepare || this.isDone || stopping.aborted) return true
    this.isDone = true
    try {
      await this.calls.run((signal) => untilAborted(prepare, AbortSignal.any([signal, stopping])))
    } catch (error) {
      if (!stopping.aborted) throw error
    }
    return this.isDone
  }
}

/** Rejects at the abort also where the call does not listen to its signal. */
async function untilAborted(
  call: (context: { readonly signal: AbortSignal }) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted()
  let abort = () => {}
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort)
  })
  try {
    await Promise.race([call({ signal }), aborted])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

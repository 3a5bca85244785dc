/** Runs the worker's `prepare` before the first claim and after each outage. */

import type { WorkerDependencies } from '../worker-dependencies.ts'
import type { OpenCalls } from './open-calls.ts'

type Prepare = WorkerDependencies['prepare']

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

  /** Runs `prepare` again before the next claim: the address may lead to another database after an outage. */
  forget(): void {
    this.isDone = false
  }

  /**
   * Returns whether jobs may be claimed; false when `forget` was called meanwhile. A stopping worker only repeats an
   * unanswered claim to release its jobs, which needs no preparation.
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

/** Rejects on abort even if the call ignores its signal. */
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

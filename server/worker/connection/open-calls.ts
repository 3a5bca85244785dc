/** Calls to the queue that have no response yet: all of them can be abandoned, which closes their connections. */

export class OpenCalls {
  private readonly calls = new Set<AbortController>()

  async run<Answer>(send: (signal: AbortSignal) => Promise<Answer>): Promise<Answer> {
    const call = new AbortController()
    this.calls.add(call)
    try {
      return await send(call.signal)
    } finally {
      this.calls.delete(call)
    }
  }

  abandon(): void {
    for (const call of this.calls) call.abort()
  }
}

/** Calls without a response yet; aborting them closes their connections. */

export class OpenCalls {
  private readonly calls = new Set<AbortController>()

  async run<Response>(send: (signal: AbortSignal) => Promise<Response>): Promise<Response> {
    const call = new AbortController()
    this.calls.add(call)
    try {
      return await send(call.signal)
    } finally {
      this.calls.delete(call)
    }
  }

  abortAll(): void {
    for (const call of this.calls) call.abort()
  }
}

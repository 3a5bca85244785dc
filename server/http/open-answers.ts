/** Answers that take long, event streams and exports: each is rechecked while it is open, and all can be cut at once. */
import type { ServerResponse } from 'node:http'
import type { Clock } from '../clock.ts'
import { recheck } from './recheck.ts'

export class OpenAnswers {
  private readonly clock: Clock
  private readonly open = new Set<ServerResponse>()

  constructor(clock: Clock) {
    this.clock = clock
  }

  /** `check` refuses whoever may no longer have it. */
  add(response: ServerResponse, check: () => Promise<unknown>): void {
    this.open.add(response)
    response.once('close', () => this.open.delete(response))
    recheck(response, this.clock, check)
  }

  cut(): void {
    for (const response of this.open) response.destroy()
  }
}

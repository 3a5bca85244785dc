/** Long responses (event streams, exports): authorises each again periodically, and can close all at once. */
import type { ServerResponse } from 'node:http'
import { SECOND } from '../../../shared/limits.ts'
import type { Clock, Timer } from '../../base/clock.ts'

const CHECK_EVERY_MS = 5 * SECOND

export class OpenResponses {
  private readonly clock: Clock
  private readonly open = new Set<ServerResponse>()

  constructor(clock: Clock) {
    this.clock = clock
  }

  /** Destroys the response when `check` rejects. The client then reconnects and receives the error. */
  add(response: ServerResponse, check: () => Promise<unknown>): void {
    let timer: Timer | null = null
    const arm = () => {
      timer = this.clock.after(CHECK_EVERY_MS, () => void runCheck())
    }
    const runCheck = async () => {
      try {
        await check()
        if (!response.destroyed) arm()
      } catch {
        response.destroy()
      }
    }
    arm()
    this.open.add(response)
    // A pipeline adds many listeners, and Node warns of a leak above ten.
    response.setMaxListeners(response.getMaxListeners() + 1)
    response.once('close', () => {
      timer?.cancel()
      this.open.delete(response)
    })
  }

  destroyAll(): void {
    for (const response of this.open) response.destroy()
  }
}

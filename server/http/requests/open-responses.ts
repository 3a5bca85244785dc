/**
 * Answers that take long, event streams and exports. Each outlives the moment it was let in: who it belongs to is asked again from
 * time to time, and all of them can be cut at once.
 */
import type { ServerResponse } from 'node:http'
import { SECOND } from '../../../shared/limits.ts'
import type { Clock, Timer } from '../../base/clock.ts'

const EVERY_MS = 5 * SECOND

export class OpenAnswers {
  private readonly clock: Clock
  private readonly open = new Set<ServerResponse>()

  constructor(clock: Clock) {
    this.clock = clock
  }

  /** Cuts the answer when `check` refuses: its reader dials again, and hears why. */
  add(response: ServerResponse, check: () => Promise<unknown>): void {
    let timer: Timer | null = null
    const arm = () => {
      timer = this.clock.after(EVERY_MS, () => void look())
    }
    const look = async () => {
      try {
        await check()
        if (!response.destroyed) arm()
      } catch {
        response.destroy()
      }
    }
    arm()
    this.open.add(response)
    // A pipeline listens in many places, and Node takes more than ten for a leak.
    response.setMaxListeners(response.getMaxListeners() + 1)
    response.once('close', () => {
      timer?.cancel()
      this.open.delete(response)
    })
  }

  cut(): void {
    for (const response of this.open) response.destroy()
  }
}

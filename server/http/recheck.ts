/** A stream outlives the moment it was let in: who it belongs to is asked again from time to time. */
import type { ServerResponse } from 'node:http'
import { SECOND } from '../../shared/limits.ts'
import type { Clock, Timer } from '../clock.ts'

const EVERY_MS = 5 * SECOND

/** Cuts the answer when `check` refuses: its reader dials again, and hears why. */
export function recheck(response: ServerResponse, clock: Clock, check: () => Promise<unknown>): void {
  let timer: Timer | null = null
  const arm = () => {
    timer = clock.after(EVERY_MS, () => void look())
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
  response.once('close', () => timer?.cancel())
}

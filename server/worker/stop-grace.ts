/** The time that `stop` gives to running handlers; with several calls the shortest applies. */
import { QueueError } from '../../shared/errors.ts'
import { refuseUnknownKeys } from '../../shared/json/unknown-keys.ts'
import { SECOND } from '../../shared/limits.ts'
import type { Clock, Timer } from '../base/clock.ts'

const GRACE_MS = 30 * SECOND
/** How long `stop` waits for the response to a repeated claim whose first response was lost. */
export const LOST_CLAIM_WAIT_MS = 5 * SECOND

export interface StopOptions {
  readonly graceMs?: number
}

export class StopGrace {
  private readonly clock: Clock
  private readonly onOver: () => void
  private readonly timers: Timer[] = []
  private isEnded = false

  constructor(clock: Clock, onOver: () => void) {
    this.clock = clock
    this.onOver = onOver
  }

  begin(graceMs: number): void {
    if (graceMs <= 0) this.onOver()
    else if (Number.isFinite(graceMs) && !this.isEnded) this.timers.push(this.clock.after(graceMs, this.onOver, true))
  }

  end(): void {
    this.isEnded = true
    for (const timer of this.timers) timer.cancel()
  }
}

export function readGraceMs(options: StopOptions): number {
  refuseUnknownKeys(options, ['graceMs'], 'stop')
  const { graceMs = GRACE_MS } = options
  if (Number.isNaN(graceMs)) throw new QueueError('BAD_INPUT', 'graceMs is NaN; pass a number of milliseconds.')
  return graceMs
}

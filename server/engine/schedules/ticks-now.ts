/** Due ticks of schedules, processed synchronously, for an engine without background services. */
import type { DirectStore } from '../../store/direct-store.ts'
import type { OpOf, OpValue } from '../../store/ops.ts'
import { planTick } from './plan-tick.ts'
import { RETRY_MS, TURN_SCHEDULES, TURN_TICKS } from './ticker.ts'

export interface TicksNowParts {
  readonly store: Pick<DirectStore, 'dueSchedulesNow' | 'nextScheduleNow'>
  readonly write: (op: OpOf<'schedule'>) => OpValue<'schedule'>
  readonly maxPayloadBytes: number
}

/** Returns when the next schedule is due; null: none. */
export function runTicksNow({ store, write, maxPayloadBytes }: TicksNowParts, now: number): number | null {
  const turn = () => {
    const due = store.dueSchedulesNow({ now, limit: TURN_SCHEDULES })
    const ops = due.flatMap((row) => planTick(row, now, TURN_TICKS, maxPayloadBytes) ?? [])
    return ops.map((op) => write(op).changed).some(Boolean)
  }
  while (turn());
  const next = store.nextScheduleNow()
  // Ticks wait for a trusted clock.
  return next !== null && next <= now ? now + RETRY_MS : next
}

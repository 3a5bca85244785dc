/** Gathers calls into requests: those of one event-loop turn, and those made while earlier requests are in flight. */
import { systemClock, type Timer } from '../../base/clock.ts'
import { endOfTurn } from '../../base/end-of-turn.ts'
import type { Call } from './call.ts'

/**
 * Of each lane. With more, the batches would become smaller under load; with one, the server would be idle while a response travels.
 * Writes and reads do not share the number: a long read would hold back claims and heartbeats.
 */
const MAX_IN_FLIGHT = 2
/**
 * Characters of the inputs in a request of several calls: at most 768 KiB as UTF-8, below the 1 MiB that some proxies allow and a
 * tenth of the server's default. Inputs of 500 bytes reach the limit of operations first.
 */
const MAX_CHARS = 262_144
/** When calls have waited this long and no request has ended, more requests are sent: the connections may be dead. */
const STALLED_MS = 250

/**
 * One lane of calls. `send` resolves when the request has ended, at once for no calls, and never rejects. Returns a function that adds
 * a call.
 */
export function gatherCalls(send: (calls: readonly Call[]) => Promise<void>, maxCalls: number): (call: Call) => void {
  let waiting: Call[] = []
  let isScheduled = false
  /** The requests that count towards MAX_IN_FLIGHT. */
  const inFlight = new Set<readonly Call[]>()
  let stalled: Timer | null = null

  function schedule(): void {
    if (isScheduled || waiting.length === 0) return
    if (inFlight.size < MAX_IN_FLIGHT) {
      isScheduled = true
      endOfTurn(flush)
    } else stalled ??= systemClock.after(STALLED_MS, ignoreStalled)
  }

  function ignoreStalled(): void {
    stalled = null
    inFlight.clear()
    schedule()
  }

  function flush(): void {
    isScheduled = false
    stalled?.cancel()
    stalled = null
    while (waiting.length > 0 && inFlight.size < MAX_IN_FLIGHT) void start(take())
    schedule()
  }

  async function start(calls: readonly Call[]): Promise<void> {
    inFlight.add(calls)
    await send(calls)
    // The callers continue in this turn, and their next calls leave in the same request as those that waited.
    if (inFlight.delete(calls)) schedule()
  }

  /** The first calls that fit into one request. Calls that were aborted meanwhile are left out, so there may be none. */
  function take(): readonly Call[] {
    const taken: Call[] = []
    let chars = 0
    let index = 0
    for (const call of waiting) {
      if (!call.isSettled) {
        chars += call.json?.length ?? 0
        if (taken.length === maxCalls || (taken.length > 0 && chars > MAX_CHARS)) break
        taken.push(call)
      }
      index += 1
    }
    waiting = waiting.slice(index)
    return taken
  }

  return (call) => {
    waiting.push(call)
    schedule()
  }
}

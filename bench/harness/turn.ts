/** Turns of a fixed length. */
import { elapsedMs } from './measure.ts'

/** Calls per second; each caller makes its next call when the previous one returns. */
export async function callsPerSecond(
  callers: number,
  ms: number,
  call: (caller: number) => Promise<unknown>,
): Promise<number> {
  const startedAt = performance.now()
  const calls = await callFor(callers, ms, call)
  return (calls / (performance.now() - startedAt)) * 1_000
}

/** Number of calls; resolves when the last one has returned. */
export async function callFor(
  callers: number,
  ms: number,
  call: (caller: number) => Promise<unknown>,
): Promise<number> {
  const startedAt = performance.now()
  let calls = 0
  const caller = async (_: unknown, number: number) => {
    for (; performance.now() - startedAt < ms; calls++) await call(number)
  }
  await Promise.all(Array.from({ length: callers }, caller))
  return calls
}

/** Milliseconds per call of one caller. */
export async function latencies(ms: number, call: () => Promise<unknown>): Promise<readonly number[]> {
  const figures: number[] = []
  const startedAt = performance.now()
  while (performance.now() - startedAt < ms) figures.push(await elapsedMs(call))
  return figures
}

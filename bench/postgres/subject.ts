/** Shared settings of the compared subjects: callers, payloads and turns of a fixed length. */
import { payloadOf } from '../harness/payload-of.ts'
import { callFor } from '../harness/turn.ts'

export const CALLERS = 50
export const PAYLOAD_BYTES = 200
export const PAYLOAD = payloadOf(PAYLOAD_BYTES)
export const TURN_MS = 800

/** Jobs per second of one turn. */
export type Work = () => Promise<number>

/**
 * Runs producers for one turn while `consume` finishes jobs and returns their number. Ends when the last job is finished.
 * Returns jobs per second.
 */
export async function producedAndConsumed(
  produce: (caller: number) => Promise<unknown>,
  consumers: number,
  consume: (consumer: number) => Promise<number>,
): Promise<number> {
  const startedAt = performance.now()
  let produced = 0
  let consumed = 0
  let producing = true
  const produceAll = async () => {
    produced = await callFor(CALLERS, TURN_MS, produce)
    producing = false
  }
  const consumeAll = async (_: unknown, consumer: number) => {
    while (producing || consumed < produced) {
      const finished = await consume(consumer)
      consumed += finished
    }
  }
  await Promise.all([produceAll(), ...Array.from({ length: consumers }, consumeAll)])
  if (consumed !== produced) throw new Error(`${produced} jobs were enqueued and ${consumed} finished.`)
  return (consumed / (performance.now() - startedAt)) * 1_000
}

/** An operator who changes the limits while everybody works. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Engine } from '../../../server/engine/engine.ts'
import { isOver } from './storm.ts'

const LOOK_MS = 5
const PAUSE_LOOKS = 10

/** Takes turns with the engines, and makes the next change when so many more jobs have finished. */
export async function steer(
  engines: readonly Engine[],
  everyJobs: number,
  changes: readonly ((engine: Engine) => Promise<unknown>)[],
): Promise<void> {
  for (const [turn, change] of changes.entries()) {
    const engine = engines[turn % engines.length]
    if (!engine) throw new Error('somebody must be told')
    const from = await finished(engine)
    while ((await finished(engine)) < from + everyJobs && !(await isOver(engine))) await sleep(LOOK_MS)
    await change(engine)
  }
}

/** Pauses, gives everybody the chance to overlook it, and lets them go on. */
export function pausing(
  pause: (engine: Engine) => Promise<unknown>,
  resume: (engine: Engine) => Promise<unknown>,
): (engine: Engine) => Promise<void> {
  return async (engine) => {
    await pause(engine)
    for (let look = 0; look < PAUSE_LOOKS; look++) {
      await engine.counts()
      await sleep(LOOK_MS)
    }
    await resume(engine)
  }
}

async function finished(engine: Engine): Promise<number> {
  const { completed, failed, cancelled } = await engine.counts()
  return completed + failed + cancelled
}

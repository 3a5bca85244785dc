/** Changes the limits while workers run. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Engine } from '../../../server/engine/engine.ts'
import { isOver } from './work-until-empty.ts'

const CHECK_EVERY_MS = 5
const PAUSE_CHECKS = 10

/** Alternates between the engines, and makes the next change after a number of finished jobs. */
export async function changeLimitsWhileRunning(
  engines: readonly Engine[],
  everyJobs: number,
  changes: readonly ((engine: Engine) => Promise<unknown>)[],
): Promise<void> {
  for (const [turn, change] of changes.entries()) {
    const engine = engines[turn % engines.length]
    if (!engine) throw new Error('there is no engine')
    const from = await finished(engine)
    while ((await finished(engine)) < from + everyJobs && !(await isOver(engine))) await sleep(CHECK_EVERY_MS)
    await change(engine)
  }
}

/** Pauses, gives all workers the chance to ignore it, and resumes. */
export function pausing(
  pause: (engine: Engine) => Promise<unknown>,
  resume: (engine: Engine) => Promise<unknown>,
): (engine: Engine) => Promise<void> {
  return async (engine) => {
    await pause(engine)
    for (let check = 0; check < PAUSE_CHECKS; check++) {
      await engine.counts()
      await sleep(CHECK_EVERY_MS)
    }
    await resume(engine)
  }
}

async function finished(engine: Engine): Promise<number> {
  const { completed, failed, cancelled } = await engine.counts()
  return completed + failed + cancelled
}

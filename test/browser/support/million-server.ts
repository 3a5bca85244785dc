/** The server of the million-jobs measurement, in a process of its own: the browser's driver must not slow down its claims. */
import { MIXED } from '../../../bench/crowd.ts'
import { fill } from '../../../bench/fill.ts'
import { servePage } from './serve-page.ts'

const [, , jobs = '0'] = process.argv
const serving = await servePage((file) => fill(file, MIXED, Number(jobs)))

/** How long each of so many claims took, in ms, sorted; what it claims it completes. */
async function claimTimes(count: number): Promise<number[]> {
  const times: number[] = []
  for (let n = 0; n < count; n++) {
    const startedAt = performance.now()
    const [job] = await serving.engine.claim({ worker: 'bench' })
    times.push(performance.now() - startedAt)
    if (job) await serving.engine.complete({ id: job.id, version: job.version })
  }
  return times.sort((a, b) => a - b)
}

process.on('message', async (count) => process.send?.(await claimTimes(Number(count))))
process.on('disconnect', async () => {
  await serving.close()
  process.exit()
})
process.send?.(serving.url)

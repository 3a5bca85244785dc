/** Server process of the dashboard benchmark, separate so that the browser driver does not slow down claims. */
import { MIXED } from '../../../bench/growth/crowd.ts'
import { fill } from '../../../bench/growth/fill.ts'
import { servePage } from './serve-page.ts'

const [, , jobs = '0'] = process.argv
const serving = await servePage((file) => fill(file, MIXED, Number(jobs)))

/** Durations of `count` claims in ms, sorted. Completes each claimed job. */
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

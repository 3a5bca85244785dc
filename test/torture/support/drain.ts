/** End of a load: completes all remaining jobs. */
import type { Caller } from './line.ts'
import { type Load, type LoadParts, TYPE } from './load.ts'

/** A last worker completes the remaining jobs, while late workers report outcomes of expired claims. */
export async function drain({ line, history }: LoadParts, load: Load): Promise<void> {
  const comeBack = (ids: Iterable<string>) =>
    Promise.all(
      [...ids].map(async (id) => {
        const late = load.laidAside.get(id)
        if (late) await load.complete(late)
      }),
    )
  for (;;) {
    const claim = { types: [TYPE], limit: 100, waitMs: 100 }
    const jobs = await line.insist((api) => api.claim.mutate({ worker: 'drain', ...claim }))
    await comeBack(jobs.map(({ id }) => id))
    for (const { id, version } of jobs) history.finishing.add(`${id} ${version}`)
    await Promise.all(jobs.map((job) => load.complete(job)))
    if (jobs.length === 0 && (await unfinished(line)) === 0) break
  }
  await comeBack(load.laidAside.keys())
}

async function unfinished(line: Caller): Promise<number> {
  const { counts } = await line.insist((api) => api.stats.query())
  return counts.pending + counts.processing + counts.retrying + counts.scheduled
}

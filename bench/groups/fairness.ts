/** Fairness: how many claims a key with few jobs needs beside a key with very many. */
import { join } from 'node:path'
import { openEngine } from '../../server/index.ts'

const TYPE = 'fair'
const BUSY_JOBS = 100_000
const QUIET_JOBS = 10
const CHUNK = 1_000
/** Round robin between two keys needs 20. */
const MOST = 30

export interface Fairness {
  readonly busyJobs: number
  readonly quietJobs: number
  /** Claims until all jobs of the quiet key were finished. */
  readonly claims: number
}

export async function measureFairness(folder: string): Promise<Fairness> {
  const engine = await openEngine({ url: `sqlite:${join(folder, 'fairness.db')}` })
  await engine.declareTypes({
    actor: 'bench',
    types: [{ name: TYPE, kind: 'job', settings: { group: { window: 1 } } }],
  })
  const jobs = (group: string, length: number) =>
    engine.enqueueMany({ jobs: Array.from({ length }, () => ({ type: TYPE, payload: { group }, group })) })
  for (let added = 0; added < BUSY_JOBS; added += CHUNK) await jobs('busy', CHUNK)
  await jobs('quiet', QUIET_JOBS)
  let [claims, finished] = [0, 0]
  while (finished < QUIET_JOBS) {
    const [job] = await engine.claim({ worker: 'bench', types: [TYPE] })
    if (!job) throw new Error('No job was ready, although both keys have blocked ones.')
    claims += 1
    await engine.complete({ id: job.id, version: job.version, result: null })
    if (JSON.stringify(job.payload) === JSON.stringify({ group: 'quiet' })) finished += 1
  }
  await engine.close()
  if (claims > MOST) throw new Error(`The quiet key needed ${claims} claims; ${MOST} are the limit.`)
  return { busyJobs: BUSY_JOBS, quietJobs: QUIET_JOBS, claims }
}

/** Compares the engine with the SQLite limit to show the overhead of the queue. */
import { join } from 'node:path'
import { openEngine } from '../../server/index.ts'
import { fsyncMicros } from '../harness/fsync.ts'
import { elapsedMs, interleave, median, ratio } from '../harness/measure.ts'
import type { Part } from '../harness/part.ts'
import { payloadOf } from '../harness/payload-of.ts'
import { figure, type Table, times } from '../harness/table.ts'
import { CALLERS, enqueueAll, liveAll } from './callers.ts'
import { type Limit, openLimit } from './limit.ts'

/** V8 needs a few rounds to optimise the hot path. */
const ROUNDS = { warmUp: 6, counted: 15 }
const PAYLOAD_BYTES = 200
const FSYNCS = 50

/** Fewer jobs with one transaction per operation, because each operation waits for its own fsync. */
const ENQUEUE = { name: 'enqueue', jobs: 19_200, fewJobs: 800 }
const LIVE = { name: 'enqueue → claim → complete', jobs: 9_600, fewJobs: 320 }

interface Work {
  readonly name: string
  /** Jobs per second in each round. */
  readonly engine: readonly number[]
  readonly limit: readonly number[]
  readonly single: readonly number[]
}

export const engineAgainstLimit: Part = async (folder, logProgress) => {
  const payload = payloadOf(PAYLOAD_BYTES)
  const text = JSON.stringify(payload)
  const engine = await openEngine({ url: `sqlite:${join(folder, 'engine.db')}`, durability: 'full' })
  const limit = openLimit(join(folder, 'limit.db'))
  const single = openLimit(join(folder, 'single.db'))

  const enqueueBare = (bare: Limit, jobs: number, batch: number) => {
    const ids = bare.makeIds(jobs)
    return perSecond(jobs, () => bare.enqueue('enqueue', text, ids, batch))
  }
  const liveBare = (bare: Limit, jobs: number, batch: number) => {
    const ids = bare.makeIds(jobs)
    return perSecond(jobs, () => bare.live('live', text, ids, batch))
  }

  try {
    logProgress(`${ROUNDS.warmUp} + ${ROUNDS.counted} rounds`)
    const figures = await interleave(
      {
        engineEnqueue: () => perSecond(ENQUEUE.jobs, () => enqueueAll(engine, 'enqueue', payload, ENQUEUE.jobs)),
        limitEnqueue: () => enqueueBare(limit, ENQUEUE.jobs, CALLERS),
        singleEnqueue: () => enqueueBare(single, ENQUEUE.fewJobs, 1),
        engineLive: () => perSecond(LIVE.jobs, () => liveAll(engine, 'live', payload, LIVE.jobs)),
        limitLive: () => liveBare(limit, LIVE.jobs, CALLERS),
        singleLive: () => liveBare(single, LIVE.fewJobs, 1),
        fsync: () => fsyncMicros(folder, FSYNCS),
      },
      ROUNDS,
    )
    const { engineEnqueue, limitEnqueue, singleEnqueue, engineLive, limitLive, singleLive, fsync } = figures
    const works: readonly Work[] = [
      { name: ENQUEUE.name, engine: engineEnqueue, limit: limitEnqueue, single: singleEnqueue },
      { name: LIVE.name, engine: engineLive, limit: limitLive, single: singleLive },
    ]
    return {
      tables: [tableOf(works, median(fsync))],
      results: { callers: CALLERS, payloadBytes: PAYLOAD_BYTES, works, fsyncMicros: fsync },
    }
  } finally {
    await engine.close()
    limit.close()
    single.close()
  }
}

async function perSecond(jobs: number, work: () => unknown): Promise<number> {
  return (jobs / (await elapsedMs(work))) * 1_000
}

function tableOf(works: readonly Work[], fsync: number): Table {
  return {
    title: `Engine and limit: ${CALLERS} callers, ${PAYLOAD_BYTES}-byte payloads, every commit fsynced, jobs/s`,
    head: [
      '',
      'Millrace engine',
      'bare limit',
      'one transaction per operation',
      'engine / limit',
      'engine / one by one',
    ],
    rows: works.map(({ name, engine, limit, single }) => {
      const speeds = [engine, limit, single].map((of) => figure(median(of)))
      return [name, ...speeds, times(ratio(engine, limit)), times(ratio(engine, single))]
    }),
    notes: [`fsync of one page: ${figure(fsync)} µs`, `medians of ${ROUNDS.counted} interleaved rounds`],
  }
}

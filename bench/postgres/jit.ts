/** Full lifecycle on an installed PostgreSQL with its defaults, compared with `jit = off`. */
import { type Engine, openEngine } from '../../server/index.ts'
import { RESULT } from '../engine/callers.ts'
import { interleave, median, percentile, ratio } from '../harness/measure.ts'
import type { Part } from '../harness/part.ts'
import { figure, times } from '../harness/table.ts'
import { latencies } from '../harness/turn.ts'
import { openPostgres } from './server.ts'
import { PAYLOAD, PAYLOAD_BYTES } from './subject.ts'

const ROUNDS = { warmUp: 1, counted: 9 }
const TURN_MS = 500
/** The benchmark fails above this ratio: it means that a statement is JIT-compiled each time. */
const MOST = 1.3

export const postgresJit: Part = async (folder, logProgress) => {
  const postgres = await openPostgres(folder, 'installed')
  try {
    const engines = [await openEngine({ url: await postgres.create('defaults') })]
    try {
      engines.push(await openEngine({ url: withoutJit(await postgres.create('without_jit')) }))
      const [defaults, without] = engines
      if (!defaults || !without) throw new Error('two engines are open')
      logProgress(`one caller, ${ROUNDS.warmUp} + ${ROUNDS.counted} rounds`)
      const jobMs = await interleave(
        {
          defaults: () => latencies(TURN_MS, () => live(defaults)),
          without: () => latencies(TURN_MS, () => live(without)),
        },
        ROUNDS,
      )
      const share = ratio(jobMs.defaults.map(median), jobMs.without.map(median))
      if (share > MOST) {
        throw new Error(
          `A job takes ${times(share)} as long with the defaults of the server; expected at most ${MOST}.`,
        )
      }
      const row = (name: string, rounds: readonly (readonly number[])[]) => [
        name,
        figure(median(rounds.flat())),
        figure(percentile(rounds.flat(), 0.99)),
      ]
      return {
        tables: [
          {
            title: `PostgreSQL with its defaults: enqueue → claim → complete, one caller, ${PAYLOAD_BYTES}-byte payloads, ms`,
            head: ['', 'p50', 'p99'],
            rows: [row('defaults', jobMs.defaults), row('jit = off', jobMs.without)],
            notes: [postgres.facts, `defaults / jit = off, p50: ${times(share)}, at most ${MOST}`],
          },
        ],
        results: { postgres: postgres.facts, lifeMs: jobMs, ratio: share },
      }
    } finally {
      for (const engine of engines) await engine.close()
    }
  } finally {
    await postgres.stop()
  }
}

function withoutJit(url: string): string {
  const whole = new URL(url)
  whole.searchParams.set('options', '-c jit=off')
  return whole.href
}

async function live(engine: Engine): Promise<void> {
  await engine.enqueue({ type: 'live', payload: PAYLOAD })
  const [job] = await engine.claim({ worker: 'one', types: ['live'] })
  if (!job) throw new Error('The job that was just enqueued could not be claimed.')
  await engine.complete({ id: job.id, version: job.version, result: RESULT })
}

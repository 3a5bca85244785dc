/** A job's life on an installed PostgreSQL with its defaults, beside the same life with JIT switched off at the server. */
import { type Engine, openEngine } from '../../server/index.ts'
import { RESULT } from '../callers.ts'
import { interleave, median, percentile, ratio } from '../measure.ts'
import type { Part } from '../part.ts'
import { figure, times } from '../table.ts'
import { latencies } from '../turn.ts'
import { openPostgres } from './server.ts'
import { PAYLOAD, PAYLOAD_BYTES } from './subject.ts'

const ROUNDS = { warmUp: 1, counted: 9 }
const TURN_MS = 500
/** The part fails beyond: a statement is compiled again. */
const MOST = 1.3

export const postgresJit: Part = async (folder, say) => {
  const postgres = await openPostgres(folder, 'installed')
  try {
    const engines = [await openEngine({ url: await postgres.create('defaults') })]
    try {
      engines.push(await openEngine({ url: withoutJit(await postgres.create('without_jit')) }))
      const [defaults, without] = engines
      if (!defaults || !without) throw new Error('two engines are open')
      say(`one caller, ${ROUNDS.warmUp} + ${ROUNDS.counted} rounds`)
      const lives = await interleave(
        {
          defaults: () => latencies(TURN_MS, () => live(defaults)),
          without: () => latencies(TURN_MS, () => live(without)),
        },
        ROUNDS,
      )
      const share = ratio(lives.defaults.map(median), lives.without.map(median))
      if (share > MOST) {
        throw new Error(`A life takes ${times(share)} as long with the server's defaults; at most ${MOST} is expected.`)
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
            rows: [row('defaults', lives.defaults), row('jit = off', lives.without)],
            notes: [postgres.facts, `defaults / jit = off, p50: ${times(share)}, at most ${MOST}`],
          },
        ],
        results: { postgres: postgres.facts, lifeMs: lives, ratio: share },
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
  if (!job) throw new Error('The job that was just enqueued is ready.')
  await engine.complete({ id: job.id, version: job.version, result: RESULT })
}

/** Cost of large payloads: claims read them, completes must not depend on them. */
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { openEngine } from '../../server/index.ts'
import { elapsedMs, interleave, median, ratio } from '../harness/measure.ts'
import type { Part } from '../harness/part.ts'
import { payloadOf } from '../harness/payload-of.ts'
import { figure, times } from '../harness/table.ts'
import { CALLERS } from './callers.ts'
import { measurePhases, PHASES, type PhaseFigures } from './phases.ts'

const SIZES = { small: 200, large: 64 * 1_024 }
/** A backlog of 16 MiB: larger than a burst, smaller than any cache. */
const JOBS = 256
const ROUNDS = { warmUp: 3, counted: 25 }
const COLUMNS = [...PHASES, 'read'] as const

interface Figures extends PhaseFigures {
  /** Reading and parsing the payload by key: the unavoidable part of a claim. */
  readonly read: number
}

export const payloadSize: Part = async (folder, logProgress) => {
  const small = await openSubject(join(folder, 'small.db'), SIZES.small)
  const large = await openSubject(join(folder, 'large.db'), SIZES.large)
  try {
    logProgress(`${JOBS} jobs of each size, ${ROUNDS.warmUp} + ${ROUNDS.counted} rounds`)
    const figures = await interleave({ small: small.turn, large: large.turn }, ROUNDS)
    const of = (name: keyof typeof SIZES, column: keyof Figures) => figures[name].map((figure) => figure[column])
    const row = (name: keyof typeof SIZES) => COLUMNS.map((column) => figure(median(of(name, column))))
    return {
      tables: [
        {
          title: `Payload size: ${CALLERS} callers, every commit fsynced, µs per job`,
          head: ['payload', ...PHASES, 'payload read alone'],
          rows: [
            [`${SIZES.small} B`, ...row('small')],
            [`${SIZES.large / 1_024} KiB`, ...row('large')],
            ['ratio', ...COLUMNS.map((column) => times(ratio(of('large', column), of('small', column))))],
          ],
          notes: [`medians of ${ROUNDS.counted} interleaved rounds of ${JOBS} jobs`],
        },
      ],
      results: { callers: CALLERS, jobs: JOBS, sizes: SIZES, figures },
    }
  } finally {
    await Promise.all([small.close(), large.close()])
  }
}

async function openSubject(file: string, bytes: number) {
  const engine = await openEngine({ url: `sqlite:${file}`, durability: 'full' })
  const reader = new Database(file, { readonly: true })
  const newest = reader.prepare<[number], number>('SELECT seq FROM millrace_jobs ORDER BY seq DESC LIMIT ?').pluck()
  const body = reader.prepare<[number], string>('SELECT payload FROM millrace_job_bodies WHERE seq = ?').pluck()
  const payload = payloadOf(bytes)

  async function readMicros(): Promise<number> {
    const keys = newest.all(JOBS)
    const ms = await elapsedMs(() => {
      for (const seq of keys) JSON.parse(body.get(seq) ?? 'null')
    })
    return (ms * 1_000) / keys.length
  }

  return {
    turn: async (): Promise<Figures> => {
      const phases = await measurePhases(engine, 'payload', payload, JOBS)
      return { ...phases, read: await readMicros() }
    },
    async close() {
      reader.close()
      await engine.close()
    },
  }
}

/** Cost of jobs with a key against jobs without, on both databases, and fairness between keys. */
import { join } from 'node:path'
import type { Part } from '../harness/part.ts'
import { figure, type Table } from '../harness/table.ts'
import { openShippedPostgres, type Postgres } from '../postgres/server.ts'
import { costTable, type Databases, type Measured, measureCost, type Sizes } from './cost.ts'
import { type Fairness, measureFairness } from './fairness.ts'

const SIZES: Sizes = { keyedJobs: 1_000_000, keys: 100_000, plainJobs: 10_000 }

type LogProgress = (progress: string) => void

interface Cost {
  readonly table: Table
  readonly measured: Measured
}

export const groups: Part = async (folder, logProgress) => {
  const url = (name: string) => `sqlite:${join(folder, name)}`
  const files = { name: 'SQLite', plain: url('plain.db'), keyed: url('keyed.db'), server: null }
  const sqlite = await costOn(files, logProgress)
  const postgres = await costOnPostgres(folder, logProgress)
  logProgress('fairness')
  const fairness = await measureFairness(folder)
  return {
    tables: [sqlite.table, ...(postgres ? [postgres.table] : []), fairnessTable(fairness)],
    results: { sqlite: sqlite.measured, postgres: postgres?.measured ?? null, fairness },
  }
}

async function costOn(databases: Databases, logProgress: LogProgress): Promise<Cost> {
  const measured = await measureCost(databases, SIZES, logProgress)
  return { table: costTable(databases, SIZES, measured), measured }
}

/** null: there is no server. */
async function costOnPostgres(folder: string, logProgress: LogProgress): Promise<Cost | null> {
  let postgres: Postgres
  try {
    postgres = await openShippedPostgres(folder, logProgress)
  } catch (error) {
    logProgress(`PostgreSQL is left out: ${error instanceof Error ? error.message : String(error)}`)
    return null
  }
  logProgress(postgres.facts)
  try {
    const [plain, keyed] = [await postgres.create('plain'), await postgres.create('keyed')]
    const analyze = (url: string) => postgres.run(url, 'ANALYZE')
    const { table, measured } = await costOn(
      { name: 'PostgreSQL', plain, keyed, server: postgres.pid, analyze },
      logProgress,
    )
    return { table: { ...table, notes: [...(table.notes ?? []), postgres.facts] }, measured }
  } finally {
    await postgres.stop()
  }
}

function fairnessTable({ claims, busyJobs, quietJobs }: Fairness): Table {
  return {
    title: 'Claims until a quiet key has finished, window 1',
    head: ['', 'claims'],
    rows: [[`${figure(quietJobs)} jobs beside a key with ${figure(busyJobs)}`, figure(claims)]],
  }
}

/** Runs all benchmarks or the given ones. Tables go to stdout, progress to stderr, results to results/. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { engineAgainstLimit } from './engine.ts'
import { events } from './events.ts'
import { growth } from './growth.ts'
import { describeMachine, type Machine, readMachine } from './machine.ts'
import { network } from './network.ts'
import type { Part } from './part.ts'
import { payloadSize } from './payload.ts'
import { pickup } from './pickup.ts'
import { postgresComparison } from './postgres/compare.ts'
import { postgresGrowth } from './postgres/growth.ts'
import { postgresJit } from './postgres/jit.ts'
import { formatTable } from './table.ts'
import { workers } from './worker.ts'

const PARTS: ReadonlyMap<string, Part> = new Map([
  ['engine', engineAgainstLimit],
  ['growth', growth],
  ['pickup', pickup],
  ['payload', payloadSize],
  ['network', network],
  ['worker', workers],
  ['events', events],
  ['postgres', postgresComparison],
  ['postgres-growth', postgresGrowth],
  ['postgres-jit', postgresJit],
])

/** Parts that need downloads (PostgreSQL, other queues); they run only on request. */
const NAMED_ONLY: ReadonlySet<string> = new Set(['postgres', 'postgres-growth', 'postgres-jit'])

/** Folder in the repository, not in the build. */
const RESULTS = resolve('bench/results')

async function runPart(name: string, part: Part, machine: Machine): Promise<void> {
  const parent = process.env.BENCH_DIR ?? tmpdir()
  mkdirSync(parent, { recursive: true })
  const folder = mkdtempSync(join(parent, `millrace-bench-${name}-`))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  // The growth databases are gigabytes large; delete them on SIGINT too.
  const interrupted = () => {
    remove()
    process.exit(130)
  }
  process.once('SIGINT', interrupted).once('SIGTERM', interrupted)
  try {
    const { tables, results } = await part(folder, (progress) => process.stderr.write(`${name}: ${progress}\n`))
    for (const table of tables) process.stdout.write(`\n${formatTable(table)}\n`)
    mkdirSync(RESULTS, { recursive: true })
    const record = { part: name, measuredAt: new Date().toISOString(), machine, ...results }
    writeFileSync(join(RESULTS, `${name}.json`), `${JSON.stringify(record, null, 2)}\n`)
  } finally {
    process.off('SIGINT', interrupted).off('SIGTERM', interrupted)
    remove()
  }
}

async function main(asked: readonly string[]): Promise<number> {
  const names = asked.length > 0 ? asked : [...PARTS.keys()].filter((name) => !NAMED_ONLY.has(name))
  const unknown = names.find((name) => !PARTS.has(name))
  if (unknown !== undefined) {
    process.stderr.write(
      `There is no benchmark ${unknown}; choose from ${[...PARTS.keys()].join(', ')}, or pass none for all on SQLite.\n`,
    )
    return 2
  }
  const machine = readMachine()
  process.stdout.write(`${describeMachine(machine)}\n`)
  for (const name of names) {
    const part = PARTS.get(name)
    if (part) await runPart(name, part, machine)
  }
  return 0
}

process.exitCode = await main(process.argv.slice(2))

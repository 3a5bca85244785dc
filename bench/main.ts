/** Runs all benchmarks or the given ones. Tables go to stdout, progress to stderr, results to results/. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { cost } from './cost/cost.ts'
import { engineAgainstLimit } from './engine/engine.ts'
import { payloadSize } from './engine/payload.ts'
import { pickup } from './engine/pickup.ts'
import { workers } from './engine/worker.ts'
import { groups } from './groups/groups.ts'
import { growth } from './growth/growth.ts'
import { markdownOf, provenance, writeSection } from './harness/docs.ts'
import { describeMachine, type Machine, readMachine } from './harness/machine.ts'
import type { Part, Report } from './harness/part.ts'
import { formatTable } from './harness/table.ts'
import { events } from './network/events.ts'
import { network } from './network/network.ts'
import { peers } from './peers/compare.ts'
import { postgresComparison } from './postgres/compare.ts'
import { postgresGrowth } from './postgres/growth.ts'
import { postgresJit } from './postgres/jit.ts'

const PARTS: ReadonlyMap<string, Part> = new Map([
  ['engine', engineAgainstLimit],
  ['growth', growth],
  ['groups', groups],
  ['pickup', pickup],
  ['payload', payloadSize],
  ['network', network],
  ['worker', workers],
  ['events', events],
  ['cost', cost],
  ['peers', peers],
  ['postgres', postgresComparison],
  ['postgres-growth', postgresGrowth],
  ['postgres-jit', postgresJit],
])

/** Parts that need downloads (PostgreSQL, other queues) or many minutes; they run only on request. */
const NAMED_ONLY: ReadonlySet<string> = new Set([
  'cost',
  'groups',
  'peers',
  'postgres',
  'postgres-growth',
  'postgres-jit',
])

const WITH_OPTIONS: ReadonlySet<string> = new Set(['peers', 'growth', 'postgres-growth', 'cost'])
/** Parts with a section in docs/BENCHMARKS.md. */
const DOCUMENTED: ReadonlySet<string> = new Set(['peers', 'network', 'growth', 'postgres-growth', 'cost'])
const WRITE_DOCS = '--write-docs'

/** Folder in the repository, not in the build. */
const RESULTS = resolve('bench/results')
const DOCUMENT = resolve('docs/BENCHMARKS.md')
const IMAGES = resolve('docs/images')

async function runPart(name: string, part: Part, machine: Machine, options: readonly string[]): Promise<void> {
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
    const report = await part(
      folder,
      (progress) => process.stderr.write(`${name}: ${progress}\n`),
      options.filter((option) => option !== WRITE_DOCS),
    )
    const { tables, results } = report
    for (const table of tables) process.stdout.write(`\n${formatTable(table)}\n`)
    mkdirSync(RESULTS, { recursive: true })
    const record = { part: name, measuredAt: new Date().toISOString(), machine, ...results }
    writeFileSync(join(RESULTS, `${name}.json`), `${JSON.stringify(record, null, 2)}\n`)
    if (options.includes(WRITE_DOCS)) writeDocs(name, report, machine, options)
  } finally {
    process.off('SIGINT', interrupted).off('SIGTERM', interrupted)
    remove()
  }
}

function writeDocs(name: string, report: Report, machine: Machine, options: readonly string[]): void {
  const described = describeMachine(machine)
  const asked = options.filter((option) => option !== WRITE_DOCS)
  const command = [`npm run bench:${name}`, ...(asked.length > 0 ? ['--', ...asked] : [])].join(' ')
  const fromTables = () => [provenance(command, described), ...report.tables.map(markdownOf)].join('\n\n')
  writeSection(DOCUMENT, name, report.document?.(described) ?? fromTables())
  for (const [file, text] of Object.entries(report.images ?? {})) writeFileSync(join(IMAGES, file), text)
  process.stderr.write(`${name}: wrote its section of docs/BENCHMARKS.md\n`)
}

async function main(args: readonly string[]): Promise<number> {
  const optionsFrom = args.findIndex((arg) => arg.startsWith('--'))
  const asked = optionsFrom < 0 ? args : args.slice(0, optionsFrom)
  const options = optionsFrom < 0 ? [] : args.slice(optionsFrom)
  const names = asked.length > 0 ? asked : [...PARTS.keys()].filter((name) => !NAMED_ONLY.has(name))
  const unknown = names.find((name) => !PARTS.has(name))
  if (unknown !== undefined) {
    process.stderr.write(
      `There is no benchmark ${unknown}; choose from ${[...PARTS.keys()].join(', ')}, or pass none for all on SQLite.\n`,
    )
    return 2
  }
  const undocumented = names.find((name) => !DOCUMENTED.has(name))
  if (options.includes(WRITE_DOCS) && (asked.length === 0 || undocumented !== undefined)) {
    process.stderr.write(`Only ${[...DOCUMENTED].join(', ')} can be written to docs/BENCHMARKS.md.\n`)
    return 2
  }
  const withoutOptions = names.find((name) => !WITH_OPTIONS.has(name))
  if (options.some((option) => option !== WRITE_DOCS) && (asked.length === 0 || withoutOptions !== undefined)) {
    process.stderr.write(`Only ${[...WITH_OPTIONS].join(', ')} have options.\n`)
    return 2
  }
  const machine = readMachine()
  process.stdout.write(`${describeMachine(machine)}\n`)
  for (const name of names) {
    const part = PARTS.get(name)
    if (part) await runPart(name, part, machine, options)
  }
  return 0
}

process.exitCode = await main(process.argv.slice(2))

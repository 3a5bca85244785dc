/** Compares Millrace with other queues and with the raw limits: one harness, one run, interleaved rounds. */
import { interleave } from '../harness/measure.ts'
import type { Part } from '../harness/part.ts'
import { type Figure, lengthOf, type MeasureName } from './measures.ts'
import { type PeerOptions, parsePeerOptions } from './options.ts'
import { comparisonChart } from './report/chart.ts'
import type { Comparison, Measured, Skipped } from './report/comparison.ts'
import { comparisonDocument } from './report/document.ts'
import { comparisonTables } from './report/tables.ts'
import { RunningSystem } from './running-system.ts'
import { Missing } from './servers/program.ts'

type LogProgress = (progress: string) => void

/** Filling a backlog and stopping a worker are not measured, but the whole run waits for them. */
const SLOW_SECONDS = 5
/** Length of the turn before the first round, which is not counted. */
const WARM_UP_SHARE = 0.4

export const peers: Part = async (folder, logProgress, args = []) => {
  const options = parsePeerOptions(args)
  const skipped: Skipped[] = []
  const running: RunningSystem[] = []
  try {
    for (const system of options.systems) {
      logProgress(`starting ${system.name}`)
      try {
        running.push(await RunningSystem.start(system, folder, logProgress))
      } catch (error) {
        if (!(error instanceof Error)) throw error
        skipped.push({ name: system.name, label: system.label, reason: error.message })
        logProgress(`skipped ${system.name}: ${error.message}`)
        if (!(error instanceof Missing)) logProgress(error.stack ?? '')
      }
    }
    const comparison: Comparison = {
      ...{ rounds: options.rounds, turnMs: options.turnMs, measures: options.measures, args },
      systems: await measureAll(running, options, logProgress),
      skipped,
    }
    return {
      tables: comparisonTables(comparison),
      results: { comparison },
      document: (machine) => comparisonDocument(comparison, machine),
      images: { 'benchmarks.svg': comparisonChart(comparison) },
    }
  } finally {
    for (const one of running) await one.stop()
  }
}

async function measureAll(
  running: readonly RunningSystem[],
  { measures, rounds, turnMs }: PeerOptions,
  logProgress: LogProgress,
): Promise<readonly Measured[]> {
  const figures = new Map<string, Map<MeasureName, (Figure | null)[]>>(
    running.map(({ system }) => [system.name, new Map()]),
  )
  const failures = new Map<string, string>()
  for (const measure of measures) {
    logProgress(`${measure}, 1 + ${rounds} rounds`)
    const taking = running.filter(({ system }) => !system.without?.includes(measure) && !failures.has(system.name))
    const turnOf = (share: number) => (one: RunningSystem) =>
      [one.system.name, () => turn(one, measure, turnMs * share, failures, logProgress)] as const
    await interleave(Object.fromEntries(taking.map(turnOf(WARM_UP_SHARE))), { warmUp: 0, counted: 1 })
    const measured = await interleave(Object.fromEntries(taking.map(turnOf(1))), { warmUp: 0, counted: rounds })
    for (const [name, rounds] of Object.entries(measured)) figures.get(name)?.set(measure, rounds)
  }
  return running.map(({ system, started, loneEnqueueMs }) => ({
    name: system.name,
    label: system.label,
    kind: system.kind,
    role: system.role,
    isDurable: system.isDurable,
    version: system.version(),
    server: started.server,
    settings: system.settings,
    loneEnqueueMs,
    failure: failures.get(system.name) ?? null,
    figures: Object.fromEntries(figures.get(system.name) ?? []),
  }))
}

/** A system that fails keeps what was measured before and takes no more turns. */
async function turn(
  one: RunningSystem,
  measure: MeasureName,
  turnMs: number,
  failures: Map<string, string>,
  logProgress: LogProgress,
): Promise<Figure | null> {
  const { name } = one.system
  if (failures.has(name)) return null
  const startedAt = performance.now()
  try {
    const figure = await one.turn(measure, lengthOf(measure, turnMs))
    const seconds = (performance.now() - startedAt) / 1_000
    if (seconds > SLOW_SECONDS) logProgress(`${measure} of ${name} took ${seconds.toFixed(1)} s`)
    return figure
  } catch (error) {
    const message = `${measure}: ${error instanceof Error ? error.message : error}`
    failures.set(name, message)
    logProgress(`${name} failed in ${message}`)
    // Its processes must not disturb the others.
    await one.stop()
    return null
  }
}

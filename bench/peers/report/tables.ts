/** Terminal tables of the comparison. */
import { figure, type Table, times } from '../../harness/table.ts'
import { lengthOf, type MeasureName } from '../measures.ts'
import { type Comparison, cpuOf, type Measured, medianOf, pickupOf, ratioOf, spreadOf } from './comparison.ts'
import { judge } from './targets.ts'
import { shortTitleOf, titleOf } from './titles.ts'

export function comparisonTables(comparison: Comparison): readonly Table[] {
  return [mainTable(comparison), ratioTable(comparison), targetTable(comparison), cpuTable(comparison)].filter(
    ({ rows }) => rows.length > 0,
  )
}

export function cellOf(measured: Measured, measure: MeasureName): string {
  if (measure === 'pickup') {
    const pickup = pickupOf(measured)
    return pickup ? `${pickup.p50.toFixed(1)} / ${pickup.p99.toFixed(1)}` : '–'
  }
  const value = medianOf(measured, measure)
  return value === null ? '–' : figure(value)
}

function mainTable({ systems, measures, rounds, turnMs, skipped }: Comparison): Table {
  const spreads = systems.flatMap((measured) => measures.map((measure) => spreadOf(measured, measure) ?? 0))
  return {
    title: 'Peers: 200-byte payloads, jobs/s (* may lose acknowledged jobs)',
    head: ['', ...measures.map(titleOf)],
    rows: systems.map((measured) => [
      `${measured.label}${measured.isDurable ? '' : ' *'}`,
      ...measures.map((measure) => cellOf(measured, measure)),
    ]),
    notes: [
      `medians of ${rounds} interleaved rounds, turns of about ${turnMs} ms, ${lengthOf('e2e', turnMs)} ms with a worker; largest deviation of a round ${percent(Math.max(0, ...spreads))}`,
      ...systems.flatMap(({ label, failure }) => (failure === null ? [] : [`${label} failed in ${failure}`])),
      ...skipped.map(({ label, reason }) => `skipped ${label}: ${reason}`),
    ],
  }
}

/** Peers and limits of the same kind; durable BullMQ is the common base of all kinds. */
export function comparable(ours: Measured, systems: readonly Measured[]): readonly Measured[] {
  return systems.filter(({ kind, role, name }) => role !== 'millrace' && (kind === ours.kind || name === 'bullmq'))
}

/** Millrace in comparison with the systems of the same kind, and always with durable BullMQ. */
export function ratioTable({ systems, measures }: Comparison): Table {
  const rows = systems
    .filter(({ role }) => role === 'millrace')
    .flatMap((ours) => comparable(ours, systems).map((other) => ({ ours, other })))
    .map(({ ours, other }) => [
      `${ours.label} / ${other.label}`,
      ...measures.map((measure) => {
        const share = ratioOf(ours, other, measure)
        return share === null ? '–' : times(share)
      }),
    ])
  return {
    title: 'Peers: Millrace divided by the others, medians of the ratios per round',
    head: ['', ...measures.map(shortTitleOf)],
    rows,
    notes: ['higher is better; for pickup lower is better'],
  }
}

function targetTable(comparison: Comparison): Table {
  return {
    title: 'Peers: targets',
    head: ['line', '', 'target', 'measured', 'met'],
    rows: judge(comparison).map(({ line, system, target, measured, isMet }) => [
      line,
      system,
      target,
      measured,
      isMet ? 'yes' : 'NO',
    ]),
  }
}

export function cpuTable({ systems, measures }: Comparison): Table {
  const shown = measures.filter((measure) => measure !== 'pickup')
  return {
    title: 'Peers: CPU time of client and server together, µs per job',
    head: ['', ...shown.map(titleOf)],
    rows: systems.map((measured) => [
      measured.label,
      ...shown.map((measure) => {
        const micros = cpuOf(measured, measure)
        return micros === null ? '–' : figure(micros)
      }),
    ]),
    notes: ['steadier than jobs/s on a busy machine; without starting the worker and filling the backlog'],
  }
}

export function percent(share: number): string {
  return `${Math.round(share * 100)} %`
}

/** The section of docs/BENCHMARKS.md about the comparison. */
import { markdownTable, provenance } from '../../harness/docs.ts'
import { lengthOf } from '../measures.ts'
import { type Comparison, type Measured, spreadOf } from './comparison.ts'
import { LEAST_FACTOR, lossesOf } from './losses.ts'
import { cellOf, cpuTable, percent, ratioTable } from './tables.ts'
import { judge } from './targets.ts'
import { shortTitleOf, titleOf } from './titles.ts'

export function comparisonDocument(comparison: Comparison, machine: string): string {
  const command = ['npm run bench:peers', ...(comparison.args.length > 0 ? ['--', ...comparison.args] : [])].join(' ')
  const { rounds, turnMs } = comparison
  return [
    `${provenance(command, machine)} Medians of ${rounds} interleaved rounds with turns of about ${turnMs} ms, ${lengthOf('e2e', turnMs)} ms with a worker.`,
    '![Jobs per second and pickup latency of all systems](images/benchmarks.svg)',
    '### Jobs per second',
    markdownTable(figures(comparison)),
    '\\* may lose acknowledged jobs in a crash. Pickup is the time from calling enqueue to the first line of the handler of a waiting worker.',
    '### Targets',
    targets(comparison),
    '### Where other queues are faster',
    losses(comparison),
    '### Ratios',
    markdownTable(ratioTable(comparison)),
    'Medians of the ratios per round. Higher is better; for pickup lower is better.',
    '### Spread',
    'Largest deviation of a round from the median.',
    markdownTable(spreads(comparison)),
    '### CPU time',
    'Microseconds per job of the client with its worker and of all processes of the server, during the measured time: filling a backlog and starting the worker are not included.',
    markdownTable(cpuTable(comparison)),
    '### Versions and settings',
    markdownTable(settings(comparison)),
    ...notes(comparison),
  ].join('\n\n')
}

function named({ label, isDurable }: Measured): string {
  return isDurable ? label : `${label} \\*`
}

function figures({ systems, measures }: Comparison) {
  return {
    head: ['', ...measures.map(titleOf)],
    rows: systems.map((system) => {
      const cells = [named(system), ...measures.map((measure) => cellOf(system, measure))]
      return system.role === 'millrace' ? cells.map((cell) => `**${cell}**`) : cells
    }),
  }
}

function targets(comparison: Comparison): string {
  const judged = judge(comparison)
  if (judged.length === 0) return 'None of the systems with targets was measured.'
  const met = judged.filter(({ isMet }) => isMet).length
  const rows = judged.map(({ line, system, target, measured, isMet }) => [
    ...[line, system, target, measured],
    isMet ? 'yes' : '**no**',
  ])
  const lead = `${met} of ${judged.length} are met, judged before rounding. A declared setting is one that the user of the worker chooses; the default is in the other rows.`
  return `${lead}\n\n${markdownTable({ head: ['line', '', 'target', 'measured', 'met'], rows })}`
}

function losses(comparison: Comparison): string {
  const all = lossesOf(comparison)
  if (all.length === 0)
    return `No peer is faster than Millrace of the same kind by ${percent(LEAST_FACTOR - 1)} or more.`
  const lines = new Map<string, string[]>()
  for (const { ours, measure, peer, factor } of all) {
    const group = `${ours.label}: ${shortTitleOf(measure)}`
    lines.set(group, [...(lines.get(group) ?? []), `${named(peer)} ${factor.toFixed(1)} ×`])
  }
  const lead = `Peers of the same kind that are at least ${percent(LEAST_FACTOR - 1)} faster, and how many times as fast they are:`
  return [lead, '', ...[...lines].map(([group, peers]) => `- **${group}**: ${peers.join(', ')}`)].join('\n')
}

function spreads({ systems, measures }: Comparison) {
  return {
    head: ['', ...measures.map(shortTitleOf)],
    rows: systems.map((system) => [
      named(system),
      ...measures.map((measure) => {
        const spread = spreadOf(system, measure)
        return spread === null ? '–' : `± ${percent(spread)}`
      }),
    ]),
  }
}

function settings({ systems }: Comparison) {
  return {
    head: ['', 'version', 'server, as it reports itself', 'settings', 'one enqueue on the idle system, ms'],
    rows: systems.map((system) => [
      named(system),
      system.version,
      system.server,
      system.settings,
      system.loneEnqueueMs.toFixed(2),
    ]),
  }
}

function notes({ systems, skipped }: Comparison): readonly string[] {
  const lines = [
    ...systems.flatMap(({ label, failure }) => (failure === null ? [] : [`- ${label} failed in ${failure}`])),
    ...skipped.map(({ label, reason }) => `- ${label} was skipped: ${reason}`),
  ]
  return lines.length === 0 ? [] : ['### Failed or skipped', lines.join('\n')]
}

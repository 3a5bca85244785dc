/** Report of bench:peers: ratios, targets, losses, table, chart and documentation. */
import { describe, expect, it } from 'vitest'
import { replaceSection } from '../../bench/harness/docs.ts'
import type { MeasureName } from '../../bench/peers/measures.ts'
import { parsePeerOptions } from '../../bench/peers/options.ts'
import { comparisonChart } from '../../bench/peers/report/chart.ts'
import { type Comparison, cpuOf, type Measured } from '../../bench/peers/report/comparison.ts'
import { comparisonDocument } from '../../bench/peers/report/document.ts'
import { lossesOf } from '../../bench/peers/report/losses.ts'
import { comparisonTables } from '../../bench/peers/report/tables.ts'
import { judge } from '../../bench/peers/report/targets.ts'

function measured(
  name: string,
  role: Measured['role'],
  rounds: Partial<Record<MeasureName, readonly number[]>>,
  isDurable = true,
): Measured {
  const figures = Object.fromEntries(
    Object.entries(rounds).map(([measure, values]) => [
      measure,
      values.map((value) => ({ value, jobs: 10, samples: [value], clientMicros: 30, serverMicros: 12 })),
    ]),
  )
  const about = { version: 'v1', server: 'server', settings: 'settings', loneEnqueueMs: 0.7, failure: null }
  return { name, label: `The ${name} <&>`, kind: 'network', role, isDurable, figures, ...about }
}

const comparison: Comparison = {
  rounds: 3,
  turnMs: 800,
  measures: ['e2e', 'pickup'],
  args: ['--rounds=3'],
  systems: [
    measured('millrace-http', 'millrace', { e2e: [200, 300, 100], pickup: [2, 3, 2.4] }),
    measured('bullmq', 'peer', { e2e: [50, 100, 100], pickup: [1, 1, 1.2] }),
    measured('beanstalkd-default', 'peer', { e2e: [800, 1_200, 400], pickup: [9, 9, 9] }, false),
  ],
  skipped: [{ name: 'plainjob', label: 'plainjob', reason: 'it is not installed' }],
}

describe('the report of bench:peers', () => {
  it('a target is judged by the median of the ratios per round, not by the ratio of the medians', () => {
    // 4, 3 and 1 per round; the medians are 200 and 100, so their ratio would be 2.
    expect(judge(comparison)).toEqual([
      expect.objectContaining({ target: expect.stringContaining('e2e ≥ 2 ×'), measured: '3.00 ×', isMet: true }),
      expect.objectContaining({
        target: 'pickup p50 ≤ 2.5 ms',
        line: 'Over the network, durable',
        measured: '2.40 ms',
        isMet: true,
      }),
      expect.objectContaining({ target: 'pickup p99 ≤ 12 ms', measured: '3.00 ms', isMet: true }),
    ])
  })

  it('a target is judged before rounding, and a declared setting is named', () => {
    const ours = measured('millrace-http-prefetch', 'millrace', { e2e: [199.9, 199.9, 199.9] })
    const bullmq = measured('bullmq', 'peer', { e2e: [100, 100, 100] })
    expect(judge({ ...comparison, systems: [ours, bullmq] })).toEqual([
      expect.objectContaining({
        line: 'Over the network, durable; with a declared setting',
        ...{ measured: '2.00 ×', isMet: false },
      }),
    ])
  })

  it('a CPU time is the sum of client and server, and missing if that of the server is unknown', () => {
    const [ours] = comparison.systems
    if (!ours) throw new Error('There is no system.')
    const unknown = (ours.figures.e2e ?? []).map((figure) => (figure ? { ...figure, serverMicros: null } : null))
    expect(cpuOf(ours, 'e2e')).toBe(42)
    expect(cpuOf({ ...ours, figures: { e2e: unknown } }, 'e2e')).toBeNull()
  })

  it('the losses list the peers of the same kind that are at least 5 % faster; for pickup, lower is faster', () => {
    const losses = lossesOf(comparison).map(({ measure, peer, factor }) => [measure, peer.name, factor])
    expect(losses).toEqual([
      ['e2e', 'beanstalkd-default', 4],
      ['pickup', 'bullmq', 2],
    ])
  })

  it('the table has medians, marks systems that may lose jobs, and names skipped systems with the reason', () => {
    const [table] = comparisonTables(comparison)
    expect(table?.rows).toEqual([
      ['The millrace-http <&>', '200', '2.4 / 3.0'],
      ['The bullmq <&>', '100', '1.0 / 1.2'],
      ['The beanstalkd-default <&> *', '800', '9.0 / 9.0'],
    ])
    expect(table?.notes).toContain('skipped plainjob: it is not installed')
  })

  it('a system that failed in a round has no figure for that measure', () => {
    const [ours, ...others] = comparison.systems
    if (!ours) throw new Error('There is no system.')
    const failed = { ...ours, failure: 'e2e: it crashed', figures: { e2e: [null], pickup: ours.figures.pickup ?? [] } }
    const [table] = comparisonTables({ ...comparison, systems: [failed, ...others] })
    expect(table?.rows[0]).toEqual(['The millrace-http <&>', '–', '2.4 / 3.0'])
    expect(table?.notes).toContain('The millrace-http <&> failed in e2e: it crashed')
  })

  it('the chart has a bar per figure, escaped labels, no invalid numbers and colours for a dark background', () => {
    const svg = comparisonChart(comparison)
    expect(svg.match(/<rect class="(ours|peer)[^"]*" x="290"/g)).toHaveLength(6)
    expect(svg).toContain('The bullmq &lt;&amp;&gt;')
    expect(svg).toContain('prefers-color-scheme: dark')
    expect(svg).not.toMatch(/NaN|undefined|Infinity/)
  })

  it('the document has the command, the targets, the spread, the faster peers and the skipped systems', () => {
    const document = comparisonDocument(comparison, 'a machine')
    expect(document).toContain('`npm run bench:peers -- --rounds=3`')
    expect(document).toContain('3 of 3 are met')
    expect(document).toContain('| The millrace-http <&> | ± 50 % | ± 25 % |')
    expect(document).toContain('e2e**: The beanstalkd-default <&> \\* 4.0 ×')
    expect(document).toContain('plainjob was skipped: it is not installed')
  })

  it('a section is replaced between its comments and nothing else changes', () => {
    const document = 'a\n<!-- begin x -->\nold\n<!-- end x -->\nb\n'
    const once = replaceSection(document, 'x', 'new')
    expect(once).toBe('a\n<!-- begin x -->\n\nnew\n\n<!-- end x -->\nb\n')
    expect(replaceSection(once, 'x', 'new')).toBe(once)
    expect(() => replaceSection(document, 'y', 'new')).toThrow('no section y')
  })
})

describe('the options of bench:peers', () => {
  it('--only takes a full name, or a prefix that selects every system with that prefix', () => {
    const { systems, rounds } = parsePeerOptions(['--only=limit,bullmq', '--quick'])
    expect(systems.map(({ name }) => name)).toEqual([
      'limit-in-process',
      'limit-http',
      'limit-http-one-by-one',
      'bullmq',
      'limit-postgres',
    ])
    expect(rounds).toBe(1)
  })

  it('an unknown system is refused, and the error lists all names', () => {
    expect(() => parsePeerOptions(['--only=nothing'])).toThrow(/no system nothing; choose from limit-in-process, /)
  })
})

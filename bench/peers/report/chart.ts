/** SVG chart of the comparison: one panel of bars per measure, readable on light and dark backgrounds. */
import { figure } from '../../harness/table.ts'
import type { MeasureName } from '../measures.ts'
import type { Kind } from '../systems.ts'
import { type Comparison, type Measured, medianOf } from './comparison.ts'

const PANELS: readonly { readonly measure: MeasureName; readonly title: string }[] = [
  { measure: 'e2e', title: 'End to end, jobs/s (higher is better)' },
  { measure: 'enqueue', title: 'Enqueue, 64 callers, jobs/s (higher is better)' },
  { measure: 'process-50', title: 'Process, concurrency 50, jobs/s (higher is better)' },
  { measure: 'pickup', title: 'Pickup of a lone job, p50 in ms (lower is better)' },
]
const KINDS: readonly Kind[] = ['in process', 'network', 'PostgreSQL']

const PANEL = { width: 560, labels: 290, bars: 180, title: 26, heading: 26, row: 20, gap: 26 }
const COLUMNS = 2
const MARGIN = 20
const LEGEND = 34

const STYLE = `
  text { font: 13px system-ui, sans-serif; fill: #1f2328 }
  .background { fill: #ffffff }
  .title { font-weight: 600; font-size: 15px }
  .kind { fill: #59636e; font-size: 12px }
  .ours { fill: #0969da } .peer { fill: #8c959f } .limit { fill: none; stroke: #8c959f; stroke-dasharray: 3 2 }
  .loose { fill-opacity: 0.45 }
  .bold { font-weight: 600 }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc } .background { fill: #0d1117 } .kind { fill: #9198a1 }
    .ours { fill: #4493f8 } .peer { fill: #8b949e } .limit { stroke: #8b949e }
  }`

export function comparisonChart(comparison: Comparison): string {
  const panels = PANELS.map(({ measure, title }) => panelOf(comparison, measure, title)).filter(({ bars }) => bars > 0)
  const rows = Math.ceil(panels.length / COLUMNS)
  const height = Math.max(0, ...panels.map((panel) => panel.height))
  const width = MARGIN * 2 + COLUMNS * PANEL.width + PANEL.gap
  const total = MARGIN * 2 + rows * (height + PANEL.gap) + LEGEND
  const placed = panels.map(({ svg }, index) => {
    const x = MARGIN + (index % COLUMNS) * (PANEL.width + PANEL.gap)
    const y = MARGIN + Math.floor(index / COLUMNS) * (height + PANEL.gap)
    return `<g transform="translate(${x} ${y})">${svg}</g>`
  })
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${total}" role="img" aria-label="Comparison of job queues">`,
    `<style>${STYLE}</style>`,
    `<rect class="background" width="${width}" height="${total}" rx="8"/>`,
    ...placed,
    `<g transform="translate(${MARGIN} ${total - MARGIN - 8})">${legend()}</g>`,
    '</svg>',
    '',
  ].join('\n')
}

function panelOf({ systems }: Comparison, measure: MeasureName, title: string) {
  const shown = systems.flatMap((system) => {
    const value = medianOf(system, measure)
    return value === null ? [] : [{ system, value }]
  })
  const most = Math.max(...shown.map(({ value }) => value))
  const lines = [`<text class="title" y="15">${xmlText(title)}</text>`]
  let y = PANEL.title
  for (const kind of KINDS) {
    const group = shown.filter(({ system }) => system.kind === kind)
    if (group.length === 0) continue
    lines.push(`<text class="kind" y="${y + 17}">${xmlText(kind)}</text>`)
    y += PANEL.heading
    for (const { system, value } of group) {
      lines.push(barOf(system, value, value / most, y))
      y += PANEL.row
    }
  }
  return { svg: lines.join('\n'), height: y, bars: shown.length }
}

function barOf({ label, role, isDurable }: Measured, value: number, share: number, y: number): string {
  const width = Math.max(1, share * PANEL.bars).toFixed(1)
  const isOurs = role === 'millrace'
  const shape = `${isOurs ? 'ours' : role}${isDurable ? '' : ' loose'}`
  const bold = isOurs ? ' class="bold"' : ''
  const end = (PANEL.labels + Number(width) + 6).toFixed(1)
  return [
    `<text${bold} x="${PANEL.labels - 8}" y="${y + 13}" text-anchor="end">${xmlText(label)}${isDurable ? '' : ' *'}</text>`,
    `<rect class="${shape}" x="${PANEL.labels}" y="${y + 2}" width="${width}" height="14" rx="2"/>`,
    `<text${bold} x="${end}" y="${y + 13}">${figure(value)}</text>`,
  ].join('')
}

function legend(): string {
  const entry = (x: number, shape: string, text: string) =>
    `<rect class="${shape}" x="${x}" y="-11" width="22" height="12" rx="2"/><text x="${x + 30}">${xmlText(text)}</text>`
  return [
    entry(0, 'ours', 'Millrace'),
    entry(130, 'peer', 'other queue'),
    entry(280, 'peer loose', '* may lose acknowledged jobs'),
    entry(530, 'limit', 'limit: bare statements without a queue'),
  ].join('')
}

function xmlText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

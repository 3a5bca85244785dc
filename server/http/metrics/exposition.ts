/** Prometheus text format 0.0.4. */
import type { Buckets } from '../../engine/buckets.ts'

export const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

export type Labels = Readonly<Record<string, string>>
export type Sample = readonly [labels: Labels, value: number]

export class Exposition {
  private readonly lines: string[] = []

  /** Counts since the start of this process. `name` ends in `_total`. */
  counter(name: string, help: string, samples: Iterable<Sample>): void {
    this.metric(name, 'counter', help, samples)
  }

  gauge(name: string, help: string, samples: Iterable<Sample>): void {
    this.metric(name, 'gauge', help, samples)
  }

  histogram(name: string, help: string, series: Iterable<readonly [labels: Labels, buckets: Buckets]>): void {
    this.head(name, 'histogram', help)
    for (const [labels, { bounds, counts, sum, count }] of series) {
      let cumulative = 0
      bounds.forEach((bound, index) => {
        cumulative += counts[index] ?? 0
        this.sample(`${name}_bucket`, { ...labels, le: formatNumber(bound) }, cumulative)
      })
      this.sample(`${name}_bucket`, { ...labels, le: '+Inf' }, count)
      this.sample(`${name}_sum`, labels, sum)
      this.sample(`${name}_count`, labels, count)
    }
  }

  toString(): string {
    return `${this.lines.join('\n')}\n`
  }

  private metric(name: string, type: 'counter' | 'gauge', help: string, samples: Iterable<Sample>): void {
    this.head(name, type, help)
    for (const [labels, value] of samples) this.sample(name, labels, value)
  }

  private head(name: string, type: string, help: string): void {
    this.lines.push(`# HELP ${name} ${help.replace(/\\/g, '\\\\').replace(/\n/g, '\\n')}`, `# TYPE ${name} ${type}`)
  }

  private sample(name: string, labels: Labels, value: number): void {
    const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escapeLabel(text)}"`)
    this.lines.push(`${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${formatNumber(value)}`)
  }
}

function escapeLabel(text: string): string {
  return text.replace(/\\/g, '\\\\').replace(/"/g, '\\"').replace(/\n/g, '\\n')
}

function formatNumber(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  if (Number.isFinite(value)) return String(value)
  return value > 0 ? '+Inf' : '-Inf'
}

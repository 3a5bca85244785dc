/** Strict parser of the Prometheus text format 0.0.4: violations of grammar or conventions throw. */

export interface Family {
  readonly type: string
  readonly help: string
  /** By name and labels, as written. */
  readonly samples: Map<string, number>
}

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*'
const LABEL = '([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\\\\n]|\\\\[\\\\"n])*)"'
const HELP = new RegExp(`^# HELP (${NAME}) ((?:[^\\\\]|\\\\[\\\\n])+)$`)
const TYPE = new RegExp(`^# TYPE (${NAME}) (counter|gauge|histogram)$`)
const SAMPLE = new RegExp(`^(${NAME})(?:\\{(${LABEL}(?:,${LABEL})*)\\})? (-?\\d+(?:\\.\\d+)?(?:e[+-]\\d+)?)$`)
const EACH_LABEL = new RegExp(LABEL, 'g')

export function parseMetrics(text: string): Map<string, Family> {
  if (!text.endsWith('\n')) throw new Error('the last line does not end')
  const families = new Map<string, Family>()
  let current: { name: string; family: Family } | null = null
  let help: { name: string; text: string } | null = null
  for (const line of text.slice(0, -1).split('\n')) {
    const helped = HELP.exec(line)
    const typed = TYPE.exec(line)
    if (helped) help = { name: helped[1] ?? '', text: helped[2] ?? '' }
    else if (typed) {
      const [, name = '', type = ''] = typed
      if (help?.name !== name) throw new Error(`TYPE without its HELP before it: ${line}`)
      if (families.has(name)) throw new Error(`a second family ${name}`)
      if ((type === 'counter') !== name.endsWith('_total')) throw new Error(`${name} is a ${type}`)
      current = { name, family: { type, help: help.text, samples: new Map() } }
      families.set(name, current.family)
    } else addSample(line, current)
  }
  for (const [name, family] of families) if (family.type === 'histogram') checkHistogram(name, family)
  return families
}

function addSample(line: string, current: { name: string; family: Family } | null): void {
  const match = SAMPLE.exec(line)
  if (!match) throw new Error(`not in the format: ${line}`)
  const [, name = '', labels = ''] = match
  const suffixes = current?.family.type === 'histogram' ? ['_bucket', '_sum', '_count'] : ['']
  if (!suffixes.some((suffix) => name === `${current?.name}${suffix}`)) throw new Error(`outside its family: ${line}`)
  const names = [...labels.matchAll(EACH_LABEL)].map(([, label]) => label)
  if (new Set(names).size !== names.length) throw new Error(`a label twice: ${line}`)
  if (names.includes('le') !== name.endsWith('_bucket')) throw new Error(`le belongs to buckets: ${line}`)
  const series = line.slice(0, line.lastIndexOf(' '))
  if (current?.family.samples.has(series)) throw new Error(`a second sample of ${series}`)
  current?.family.samples.set(series, Number(match.at(-1)))
}

/** Checks that buckets are cumulative, ordered and end with +Inf, which equals the count. */
function checkHistogram(name: string, { samples }: Family): void {
  const open = new Map<string, { le: number; n: number }>()
  for (const [series, n] of samples) {
    const [, before = '', le = ''] = /^[^{]*\{(.*?),?le="([^"]+)"\}$/.exec(series) ?? []
    if (series.startsWith(`${name}_bucket{`)) {
      const bound = le === '+Inf' ? Number.POSITIVE_INFINITY : Number(le)
      const last = open.get(before) ?? { le: Number.NEGATIVE_INFINITY, n: 0 }
      if (!(bound > last.le)) throw new Error(`${series} is out of order`)
      if (n < last.n) throw new Error(`${series} is not cumulative`)
      open.set(before, { le: bound, n })
    }
  }
  for (const [labels, { le, n }] of open) {
    const of = (suffix: string) => samples.get(`${name}_${suffix}${labels === '' ? '' : `{${labels}}`}`)
    if (le !== Number.POSITIVE_INFINITY) throw new Error(`${name}{${labels}} has no bucket +Inf`)
    if (of('count') !== n || of('sum') === undefined) throw new Error(`${name}{${labels}} does not add up`)
  }
}

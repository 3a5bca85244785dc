/** Tests of the strict metrics parser that other tests use. */
import { describe, expect, it } from 'vitest'
import { parseMetrics } from './parse.ts'

const head = (type: string, name = 'a') => `# HELP ${name} What it is.\n# TYPE ${name} ${type}\n`

describe('the metrics parser', () => {
  it('parses names, labels with escapes, and values', () => {
    const text = `${head('gauge')}a{b="x\\"\\\\\\n",c=""} 1.5\na{b="y"} 2e-7\n`
    expect(parseMetrics(text).get('a')).toEqual({
      type: 'gauge',
      help: 'What it is.',
      samples: new Map([
        ['a{b="x\\"\\\\\\n",c=""}', 1.5],
        ['a{b="y"}', 2e-7],
      ]),
    })
  })

  it.each([
    ['no end of line', `${head('gauge')}a 1`, 'does not end'],
    ['a sample without a family', 'a 1\n', 'outside its family'],
    ['a sample of another family', `${head('gauge')}b 1\n`, 'outside its family'],
    ['TYPE without HELP', '# TYPE a gauge\na 1\n', 'TYPE without its HELP'],
    ['a family twice', `${head('gauge')}a 1\n${head('gauge')}a{b="2"} 1\n`, 'a second family'],
    ['a series twice', `${head('gauge')}a{b="1"} 1\na{b="1"} 1\n`, 'a second sample'],
    ['a label twice', `${head('gauge')}a{b="1",b="2"} 1\n`, 'a label twice'],
    ['a quote that is not escaped', `${head('gauge')}a{b="1"2"} 1\n`, 'not in the format'],
    ['an unknown escape', `${head('gauge')}a{b="\\t"} 1\n`, 'not in the format'],
    ['a value that is not a number', `${head('gauge')}a one\n`, 'not in the format'],
    ['a counter without _total', `${head('counter')}a 1\n`, 'is a counter'],
    ['a gauge with _total', `${head('gauge', 'a_total')}a_total 1\n`, 'is a gauge'],
    ['le on a gauge', `${head('gauge')}a{le="1"} 1\n`, 'le belongs to buckets'],
    [
      'buckets that are not cumulative',
      histogram(
        [
          ['1', 2],
          ['+Inf', 1],
        ],
        1,
      ),
      'not cumulative',
    ],
    [
      'buckets out of order',
      histogram(
        [
          ['2', 1],
          ['1', 1],
          ['+Inf', 1],
        ],
        1,
      ),
      'out of order',
    ],
    ['no bucket +Inf', histogram([['1', 1]], 1), 'no bucket +Inf'],
    ['another count than +Inf', histogram([['+Inf', 1]], 2), 'does not add up'],
  ])('refuses %s', (_, text, reason) => {
    expect(() => parseMetrics(text)).toThrow(reason)
  })
})

function histogram(buckets: readonly (readonly [le: string, n: number])[], count: number): string {
  const lines = buckets.map(([le, n]) => `a_bucket{le="${le}"} ${n}\n`).join('')
  return `${head('histogram')}${lines}a_sum 1\na_count ${count}\n`
}

/** Command line options of the cost benchmark. */
import { parseArgs } from 'node:util'

export interface CostOptions {
  readonly jobs: number
  readonly workers: number
}

export function parseCostOptions(args: readonly string[]): CostOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      jobs: { type: 'string', default: '1000000' },
      workers: { type: 'string', default: '1000' },
    },
  })
  return { jobs: wholeNumber('--jobs', values.jobs), workers: wholeNumber('--workers', values.workers) }
}

function wholeNumber(option: string, text: string): number {
  const value = Number(text)
  if (!Number.isInteger(value) || value < 1) throw new Error(`${option} must be a whole number of at least 1.`)
  return value
}

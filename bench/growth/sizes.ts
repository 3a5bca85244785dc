/** Table sizes of the growth benchmarks, from their options. */
import { parseArgs } from 'node:util'

/** One in a hundred jobs of the mixture is on the filtered page, which must be full. */
const LEAST = 10_000

/** `--sizes=10000,1000000`, ascending. */
export function parseSizes(args: readonly string[], preset: readonly number[]): readonly number[] {
  const { values } = parseArgs({ args: [...args], options: { sizes: { type: 'string' } } })
  if (values.sizes === undefined) return preset
  const sizes = values.sizes.split(',').map(Number)
  if (sizes.some((size) => !Number.isInteger(size) || size < LEAST)) {
    throw new Error(`--sizes must be whole numbers of at least ${LEAST}, separated by commas.`)
  }
  return [...new Set(sizes)].sort((a, b) => a - b)
}

/** 10 k, 1 M, 5 M */
export function shortSize(size: number): string {
  if (size >= 1_000_000) return `${size / 1_000_000} M`
  return `${size / 1_000} k`
}

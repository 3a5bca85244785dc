/** Time of one fsync: appends a page to a file and syncs it. */
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { median } from './measure.ts'

const PAGE = Buffer.alloc(4_096, 1)

/** Microseconds, the median of `samples`. */
export function fsyncMicros(folder: string, samples: number): number {
  const file = openSync(join(folder, 'fsync'), 'a')
  try {
    const figures = Array.from({ length: samples }, () => {
      writeSync(file, PAGE)
      const startedAt = performance.now()
      fsyncSync(file)
      return (performance.now() - startedAt) * 1_000
    })
    return median(figures)
  } finally {
    closeSync(file)
  }
}

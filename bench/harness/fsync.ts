/** Time that the disk needs to store one page. */
import { closeSync, fdatasyncSync, fsyncSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { median } from './measure.ts'

const PAGE = Buffer.alloc(4_096, 1)

/** Appends a page and syncs it; microseconds, the median of `samples`. */
export function fsyncMicros(folder: string, samples: number): number {
  return syncMicros(openSync(join(folder, 'fsync'), 'a'), samples, undefined, fsyncSync)
}

/** Overwrites the same page, as databases do in their logs: the least that a durable write costs. */
export function fdatasyncMicros(folder: string, samples: number): number {
  return syncMicros(openSync(join(folder, 'fdatasync'), 'w'), samples, 0, fdatasyncSync)
}

function syncMicros(file: number, samples: number, position: number | undefined, sync: (file: number) => void): number {
  try {
    const figures = Array.from({ length: samples }, () => {
      writeSync(file, PAGE, 0, PAGE.length, position)
      const startedAt = performance.now()
      sync(file)
      return (performance.now() - startedAt) * 1_000
    })
    return median(figures)
  } finally {
    closeSync(file)
  }
}

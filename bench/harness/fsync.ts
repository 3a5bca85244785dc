/** Time that the disk needs to store one page. */
import { closeSync, fdatasyncSync, fsyncSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { median } from './measure.ts'

const PAGE = Buffer.alloc(4_096, 1)

/** Appends a page and syncs it; microseconds, the median of `samples`. */
export function fsyncMicros(folder: string, samples: number): number {
  const file = openSync(join(folder, 'fsync'), 'a')
  try {
    return median(Array.from({ length: samples }, () => syncMs(file, undefined, fsyncSync) * 1_000))
  } finally {
    closeSync(file)
  }
}

/** Overwrites the same page, as databases do in their logs: the least that a durable write costs, in milliseconds. */
export function fdatasyncMs(folder: string): number {
  const file = openSync(join(folder, 'fdatasync'), 'w')
  try {
    syncMs(file, 0, fdatasyncSync)
    return syncMs(file, 0, fdatasyncSync)
  } finally {
    closeSync(file)
  }
}

function syncMs(file: number, position: number | undefined, sync: (file: number) => void): number {
  writeSync(file, PAGE, 0, PAGE.length, position)
  const startedAt = performance.now()
  sync(file)
  return performance.now() - startedAt
}

/** Inspects the disk of a SQLite file: free space and fsync time. */
import { closeSync, fsyncSync, openSync, rmSync, statfsSync, statSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { bad, type Finding, ok, warn } from '../../findings.ts'
import type { Durability } from '../connection/open.ts'
import { type DiskSpace, diskSpace, lowBytes } from '../files/disk-space.ts'

const TMPFS = 0x01021994
const ROUNDS = 5
/** Faster than any disk that really syncs. */
const IMPLAUSIBLE_MS = 0.02
const LOW_BYTES = 512 * 1024 * 1024

export function inspectDisk(file: string, durability: Durability): readonly Finding[] {
  const folder = dirname(file)
  const { type } = statfsSync(folder)
  return [judgeDurability(file, durability, type === TMPFS), judgeSpace(file, diskSpace(folder))]
}

function judgeDurability(file: string, durability: Durability, isMemory: boolean): Finding {
  if (isMemory) return warn('durability', 'the file is in memory (tmpfs): a restart of the machine loses it')
  const fsyncMs = measureFsync(`${file}.fsync-${process.pid}`)
  if (fsyncMs === null)
    return bad('durability', 'no file can be written beside the database, so SQLite cannot write its WAL')
  const took = `an fsync takes ${fsyncMs < 1 ? fsyncMs.toFixed(2) : fsyncMs.toFixed(1)} ms`
  if (durability === 'normal')
    return warn('durability', `DURABILITY=normal: a power loss may lose the last commits; ${took}`)
  if (fsyncMs < IMPLAUSIBLE_MS)
    return warn('durability', `${took}, faster than any disk: fsync may have no effect here`)
  return ok('durability', `full; ${took}`)
}

/** Median of a few rounds, in a separate file; null when the file cannot be written. */
function measureFsync(probe: string): number | null {
  try {
    const descriptor = openSync(probe, 'w')
    try {
      const rounds = Array.from({ length: ROUNDS }, () => {
        writeSync(descriptor, Buffer.alloc(4_096, 1), 0, 4_096, 0)
        const startedAt = performance.now()
        fsyncSync(descriptor)
        return performance.now() - startedAt
      })
      return rounds.sort((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? null
    } finally {
      closeSync(descriptor)
      rmSync(probe, { force: true })
    }
  } catch {
    return null
  }
}

function judgeSpace(file: string, { freeBytes, totalBytes }: DiskSpace): Finding {
  const free = Number.isFinite(freeBytes)
    ? `${mebibytes(freeBytes)} free`
    : 'on a file system that does not report its size'
  const size = `${mebibytes(statSync(file).size)} used, ${free}`
  if (freeBytes < lowBytes(totalBytes)) return bad('disk', `${size}: new jobs are refused until more space is free`)
  return freeBytes < LOW_BYTES ? warn('disk', `${size}: space is running low`) : ok('disk', size)
}

function mebibytes(bytes: number): string {
  const amount = bytes / 1_048_576
  return amount < 10_240 ? `${amount.toFixed(amount < 10 ? 1 : 0)} MiB` : `${(amount / 1_024).toFixed(0)} GiB`
}

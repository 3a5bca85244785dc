/** Disk space limits: minimum free space, size of the reserve, maximum size of the WAL. */
import { type StatsFs, statfsSync } from 'node:fs'

const MIB = 1024 * 1024
const MAX_LOW_BYTES = 32 * MIB
const LOW_SHARE = 0.05
const MAX_RESERVE_BYTES = 16 * MIB
const RESERVE_SHARE = 1 / 8
const MAX_WAL_BYTES = 64 * MIB
const WAL_SHARE = 1 / 8

export interface DiskSpace {
  readonly totalBytes: number
  /** Available to a process without special privileges. */
  readonly freeBytes: number
}

export function diskSpace(folder: string): DiskSpace {
  return spaceOf(statfsSync(folder))
}

/**
 * A file system without a size reports zeros (ramfs, tmpfs with size=0, FUSE without statfs). It counts as unlimited, because
 * otherwise all new jobs would be refused.
 */
export function spaceOf({ bsize, bavail, blocks }: Pick<StatsFs, 'bsize' | 'bavail' | 'blocks'>): DiskSpace {
  if (blocks === 0) return { totalBytes: Number.POSITIVE_INFINITY, freeBytes: Number.POSITIVE_INFINITY }
  return { totalBytes: blocks * bsize, freeBytes: bavail * bsize }
}

/** New jobs are refused when less than this is free. Also the part of a size-limited file that is reserved for finishing work. */
export function lowBytes(totalBytes: number): number {
  return Math.min(MAX_LOW_BYTES, totalBytes * LOW_SHARE)
}

export function reserveBytes(totalBytes: number): number {
  return Math.floor(Math.min(MAX_RESERVE_BYTES, totalBytes * RESERVE_SHARE))
}

/** The WAL is truncated to this size when it is reset. */
export function walBytesKept(totalBytes: number): number {
  return Math.floor(Math.min(MAX_WAL_BYTES, totalBytes * WAL_SHARE))
}

/** How much of a disk the queue keeps free, keeps in reserve, and lets its write-ahead log have. */
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
  /** What a program without special rights may still use. */
  readonly freeBytes: number
}

export function diskSpace(folder: string): DiskSpace {
  return spaceOf(statfsSync(folder))
}

/**
 * A file system without a size reports zeros (ramfs, tmpfs with size=0, FUSE programs without statfs). It counts as unlimited:
 * otherwise all new jobs would be refused there.
 */
export function spaceOf({ bsize, bavail, blocks }: Pick<StatsFs, 'bsize' | 'bavail' | 'blocks'>): DiskSpace {
  if (blocks === 0) return { totalBytes: Number.POSITIVE_INFINITY, freeBytes: Number.POSITIVE_INFINITY }
  return { totalBytes: blocks * bsize, freeBytes: bavail * bsize }
}

/** With less than this free, new jobs are refused. Also the part of a limited file that is kept for finishing work. */
export function lowBytes(totalBytes: number): number {
  return Math.min(MAX_LOW_BYTES, totalBytes * LOW_SHARE)
}

export function reserveBytes(totalBytes: number): number {
  return Math.floor(Math.min(MAX_RESERVE_BYTES, totalBytes * RESERVE_SHARE))
}

/** What the write-ahead log is cut to when it starts over. */
export function walBytesKept(totalBytes: number): number {
  return Math.floor(Math.min(MAX_WAL_BYTES, totalBytes * WAL_SHARE))
}

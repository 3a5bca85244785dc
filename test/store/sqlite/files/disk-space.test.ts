/** Interpretation of the size that a file system reports. */
import { expect, test } from 'vitest'
import { lowBytes, reserveBytes, spaceOf, walBytesKept } from '../../../../server/store/sqlite/files/disk-space.ts'

test('a file system that reports no size counts as unlimited', () => {
  const { totalBytes, freeBytes } = spaceOf({ bsize: 4_096, bavail: 0, blocks: 0 })
  expect(freeBytes - lowBytes(totalBytes)).toBe(Number.POSITIVE_INFINITY)
  expect(reserveBytes(totalBytes)).toBe(16 * 1024 * 1024)
  expect(walBytesKept(totalBytes)).toBe(64 * 1024 * 1024)
})

test('a file system without a free block is full', () => {
  expect(spaceOf({ bsize: 4_096, bavail: 0, blocks: 10 })).toEqual({ totalBytes: 40_960, freeBytes: 0 })
})
